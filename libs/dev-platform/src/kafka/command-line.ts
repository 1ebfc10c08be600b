import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly port: number;
  readonly dataDirectory: string;
}

export const usage = `A real Apache Kafka broker for development, on 127.0.0.1: one node, no ZooKeeper, no Docker.

  npm run kafka -- [options]

  --port <number>   where to listen (default 9092; 0: any free port)
  --data <folder>   where topics and messages are kept (default .florin/kafka)
  --help

It needs Java 17 or newer and, the first time, Maven, which fetches the broker into the cache of the user.`;

const options = {
  port: { type: 'string', default: '9092' },
  data: { type: 'string', default: '.florin/kafka' },
  help: { type: 'boolean', default: false },
} as const;

/** Undefined where only help is wanted. Throws what is wrong with the arguments. */
export function readCommandLine(args: readonly string[]): CommandLine | undefined {
  const { values } = parseArgs({ args: [...args], options, allowPositionals: false });
  if (values.help) return undefined;
  const port = Number(values.port);
  if (values.port.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port must be a whole number from 0 to 65535, not "${values.port}".`);
  }
  return { port, dataDirectory: values.data };
}

import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly port: number;
  readonly journal: string;
}

export const usage = `A stand-in for EventStoreDB, for tests and development, on 127.0.0.1. Not a database: use KurrentDB for what matters.

  node main.js --port <number> --journal <file>

  --port <number>     where to listen (0: any free port)
  --journal <file>    keeps everything; made where there is none, and read as a whole at the next start
  --help

It prints where it listens as soon as it can be reached: EVENTSTORE_URL=esdb://127.0.0.1:<port>?tls=false
SIGTERM ends it. Whatever it has acknowledged outlives even SIGKILL.`;

const options = {
  port: { type: 'string' },
  journal: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Undefined where only help is wanted. Throws what is wrong with the arguments. */
export function readCommandLine(args: readonly string[]): CommandLine | undefined {
  const { values } = parseArgs({ args: [...args], options, allowPositionals: false });
  if (values.help) return undefined;
  if (!values.port || !values.journal) throw new Error('--port and --journal are both needed; --help explains them.');
  const port = Number(values.port);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return { port, journal: values.journal };
  throw new Error(`--port must be a whole number from 0 to 65535, not "${values.port}".`);
}

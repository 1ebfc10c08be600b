import { Command, InvalidArgumentError } from 'commander';

export interface TestServerArguments {
  readonly port: number;
  readonly journal: string;
}

export function createCommand(): Command {
  return new Command('node main.js')
    .description('A test server for EventStoreDB clients on 127.0.0.1. For development and tests, not a database.')
    .helpOption('--help', 'show this help')
    .requiredOption('--port <number>', 'port to listen on; 0 takes a free one', readPort)
    .requiredOption('--journal <file>', 'file that persists all events; created if absent')
    .addHelpText('after', '\nIt prints its address when clients can connect. SIGTERM stops it.');
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Use a whole number from 0 to 65535.');
}

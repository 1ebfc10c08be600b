import { readCommandLine, usage } from './command-line';
import { EventStoreDbTestServer } from './eventstoredb-test-server';

async function main(): Promise<void> {
  const commandLine = readCommandLine(process.argv.slice(2));
  if (!commandLine) return tell(usage);
  const server = await EventStoreDbTestServer.start(commandLine);
  const stop = (): void => void server.stop().catch(fail);
  process.once('SIGINT', stop).once('SIGTERM', stop).once('SIGHUP', stop);
  tell(`listening on 127.0.0.1:${server.port}`);
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

main().catch(fail);

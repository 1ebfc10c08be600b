import { createCommand, type TestServerArguments } from './command-line';
import { EventStoreDbTestServer } from './eventstoredb-test-server';

async function main(): Promise<void> {
  const server = await EventStoreDbTestServer.start(createCommand().parse().opts<TestServerArguments>());
  const stop = (): void => void server.stop().catch(fail);
  process.once('SIGINT', stop).once('SIGTERM', stop).once('SIGHUP', stop);
  process.stdout.write(`listening on 127.0.0.1:${server.port}\n`);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

main().catch(fail);

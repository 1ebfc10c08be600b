import { join } from 'node:path';
import { freePort, loopback } from '../free-port';
import { probeConnection } from '../probe';
import type { ProcessRecord } from '../process-record';
import { ServiceProcess, type ServiceListener } from '../service-process';

/** The test server that speaks EventStoreDB's protocol, as a process of its own: for development, and no database. */
export async function eventStoreStandIn(
  file: string,
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
): Promise<{ readonly engine: ServiceProcess; readonly url: string }> {
  const port = await freePort();
  const journal = join(dataDirectory, 'eventstoredb.journal');
  const program = {
    name: 'eventstoredb',
    service: 'eventstoredb',
    file,
    port,
    arguments: () => ['--port', String(port), '--journal', journal],
    env: () => ({}),
    probe: probeConnection,
    patienceMs: 30_000,
  };
  return { engine: new ServiceProcess(program, listener, record), url: `esdb://${loopback}:${port}?tls=false` };
}

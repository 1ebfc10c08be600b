import { join } from 'node:path';
import { freePort, loopback } from '../network/free-port';
import type { ProcessRecord } from './process-record';
import { probeConnection } from './readiness-probe';
import { ServiceProcess, type ServiceListener } from './service-process';

/** The test server that implements EventStoreDB's protocol, as a separate process: for development only. */
export async function eventStoreDbBackingService(
  file: string,
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
): Promise<{ readonly service: ServiceProcess; readonly url: string }> {
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
    stopTimeoutMs: 30_000,
  };
  return { service: new ServiceProcess(program, listener, record), url: `esdb://${loopback}:${port}?tls=false` };
}

import { join } from 'node:path';
import { EventStoreDbServer, eventStoreDbUrl } from '../eventstoredb/eventstoredb-server';
import { findEventStoreDb } from '../eventstoredb/find-eventstoredb';
import { freePort } from '../network/free-port';
import { BackingService } from './backing-service';
import type { ProcessRecord } from './process-record';
import type { ServiceListener } from './service-process';

/** A server that restarts on the same address. */
export async function eventStoreDbBackingService(
  env: Readonly<Record<string, string>>,
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
): Promise<{ readonly service: BackingService; readonly url: string }> {
  const command = findEventStoreDb(env);
  if (command === undefined) {
    throw new Error(
      'No EventStoreDB found. Set EVENTSTORE_URL to a running server, such as one from the public Docker image, ' +
        'or EVENTSTOREDB_RUN to a command that starts one.',
    );
  }
  const port = await freePort();
  const options = {
    ...{ command, port, detached: true, dataDirectory: join(dataDirectory, 'eventstoredb') },
    log: (line: string): void => listener.onLine('eventstoredb', line),
    // The server locks its folder before it is ready: the next start must find it when this process is killed meanwhile.
    onSpawn: (pid: number | undefined): void => record.add('eventstoredb', pid),
  };
  const open = (onExit: (error: Error) => void): Promise<EventStoreDbServer> =>
    EventStoreDbServer.start({ ...options, onExit });
  return { service: new BackingService('eventstoredb', open, listener, record), url: eventStoreDbUrl(port) };
}

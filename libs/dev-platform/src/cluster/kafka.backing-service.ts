import { join } from 'node:path';
import { KafkaBroker } from '../kafka/kafka-broker';
import { freePort, loopback } from '../network/free-port';
import { BackingService } from './backing-service';
import type { ProcessRecord } from './process-record';
import type { ServiceListener } from './service-process';

/** A broker that restarts on the same address. */
export async function kafkaBackingService(
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
): Promise<{ readonly service: BackingService; readonly brokers: string }> {
  const port = await freePort();
  const log = (line: string): void => listener.onLine('kafka', line);
  const open = (onExit: (error: Error) => void): Promise<KafkaBroker> =>
    KafkaBroker.start({ dataDirectory: join(dataDirectory, 'kafka'), port, log, onExit });
  return { service: new BackingService('kafka', open, listener, record), brokers: `${loopback}:${port}` };
}

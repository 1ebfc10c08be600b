import { KafkaBroker } from '@florin/kafka-broker';
import { join } from 'node:path';
import { freePort, loopback } from '../free-port';
import type { ProcessRecord } from '../process-record';
import type { ServiceListener } from '../service-process';
import { Engine } from './engine';

/** A broker that comes back under the same address. */
export async function kafkaEngine(
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
): Promise<{ readonly engine: Engine; readonly brokers: string }> {
  const port = await freePort();
  const log = (line: string): void => listener.onLine('kafka', line);
  const open = (onExit: (error: Error) => void): Promise<KafkaBroker> =>
    KafkaBroker.start({ dataDirectory: join(dataDirectory, 'kafka'), port, log, onExit });
  return { engine: new Engine('kafka', open, listener, record), brokers: `${loopback}:${port}` };
}

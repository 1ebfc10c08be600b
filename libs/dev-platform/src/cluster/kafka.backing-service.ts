import { busServices } from '@florin/bus-trust';
import { join } from 'node:path';
import { KafkaBroker } from '../kafka/kafka-broker';
import { freePort, loopback } from '../network/free-port';
import { BackingService } from './backing-service';
import type { ProcessRecord } from './process-record';
import type { ServiceListener } from './service-process';

export interface StartableKafka {
  readonly service: BackingService;
  readonly brokers: string;
  /** The variables by which a service connects, after the start. */
  readonly connectionOf: (service: string) => Record<string, string>;
}

/** A broker that restarts on the same address, with TLS, one user per service, and permissions. */
export async function kafkaBackingService(
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
  topicPrefix: string | undefined,
): Promise<StartableKafka> {
  const port = await freePort();
  const log = (line: string): void => listener.onLine('kafka', line);
  let broker: KafkaBroker | undefined;
  const open = async (onExit: (error: Error) => void): Promise<KafkaBroker> => {
    const options = { dataDirectory: join(dataDirectory, 'kafka'), port, services: busServices, topicPrefix };
    broker = await KafkaBroker.start({ ...options, log, onExit });
    return broker;
  };
  return {
    service: new BackingService('kafka', open, listener, record),
    brokers: `${loopback}:${port}`,
    connectionOf: (name) => broker?.connectionOf(name) ?? {},
  };
}

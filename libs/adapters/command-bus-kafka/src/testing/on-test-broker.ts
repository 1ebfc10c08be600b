import { BROKER_TIMEOUT_MS, testBroker } from '@florin/dev-platform/testing';
import { KafkaProbe } from './kafka-probe';
import { openReplica, type Replica, type ReplicaOptions } from './replica';

/** For one suite: separate topic prefixes on the shared broker, and replicas that are closed after each test. */
export function onTestBroker(suite: string) {
  const brokers: string[] = [];
  const opened: Replica[] = [];
  let places = 0;
  beforeAll(async () => void brokers.push(await testBroker()), BROKER_TIMEOUT_MS);
  afterEach(() => Promise.all(opened.splice(0).map((replica) => replica.close())));
  return {
    probe: new KafkaProbe(brokers),
    place: (): ReplicaOptions => ({ brokers, topicPrefix: `${suite}-${process.pid}-${++places}.` }),
    open: async (...args: Parameters<typeof openReplica>): Promise<Replica> => {
      const replica = await openReplica(...args);
      opened.push(replica);
      return replica;
    },
  };
}

import { EventEmitter } from 'node:events';
import type { Kafka } from 'kafkajs';
import { SupervisedConsumer } from './supervised-consumer';

/** A client whose consumers fail to join with the given errors, one after the other, and then succeed. */
function kafkaFailingWith(...errors: Error[]): Kafka {
  const consumer = (): unknown => {
    const emitter = new EventEmitter();
    const events = { CRASH: 'crash', HEARTBEAT: 'heartbeat', REBALANCING: 'rebalancing', GROUP_JOIN: 'join' };
    const run = async (): Promise<void> => {
      const error = errors.shift();
      if (error) throw error;
      emitter.emit('join', { payload: { memberAssignment: { notes: [0] } } });
    };
    const nothing = async (): Promise<void> => undefined;
    return { events, on: emitter.on.bind(emitter), connect: nothing, subscribe: nothing, run, disconnect: nothing };
  };
  return { consumer } as unknown as Kafka;
}

const refusal = (type: string): Error => Object.assign(new Error(`refused with ${type}`), { type, retriable: true });

describe('a supervised consumer', () => {
  async function logOfStart(...errors: Error[]): Promise<{ info: jest.Mock; warn: jest.Mock; error: jest.Mock }> {
    const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
    const nothing = (): void => undefined;
    const consumer = new SupervisedConsumer(
      {
        ...{ topic: 'notes', groupId: 'notes', concurrentPartitions: 1, prepare: async () => undefined },
        ...{ onJoined: nothing, onRebalancing: nothing, onMessages: nothing, onLost: nothing },
      },
      { kafka: kafkaFailingWith(...errors), log, lostAfterMs: 60_000, sessionTimeoutMs: 10_000 },
    );
    await consumer.start();
    await consumer.stop();
    return log;
  }

  it('logs no warning and no stack trace while the topics of a first start are being created', async () => {
    const log = await logOfStart(refusal('UNKNOWN_TOPIC_OR_PARTITION'), refusal('LEADER_NOT_AVAILABLE'));
    expect(log.warn).not.toHaveBeenCalled();
    expect(log.info).toHaveBeenCalledWith(
      { topic: 'notes', reason: 'refused with LEADER_NOT_AVAILABLE' },
      'Waiting for a Kafka topic',
    );
  });

  it('warns about any other failure', async () => {
    const error = new Error('connection lost');
    expect((await logOfStart(error)).warn).toHaveBeenCalledWith({ topic: 'notes', err: error }, expect.any(String));
  });
});

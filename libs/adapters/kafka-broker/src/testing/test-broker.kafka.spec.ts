import { randomUUID } from 'node:crypto';
import { BROKER_PATIENCE_MS, testBroker } from '.';
import { KafkaTalk } from './kafka-talk';

jest.setTimeout(BROKER_PATIENCE_MS);

describe('the broker that all suites share', () => {
  it('is the same for all who ask, and works', async () => {
    const [first, second] = await Promise.all([testBroker(), testBroker()]);
    expect(second).toBe(first);
    const talk = new KafkaTalk(first);
    const topic = `${randomUUID()}.notes`;
    await talk.createTopic(topic);
    await talk.send(topic, 'hello');
    expect(await talk.receive(topic, 1)).toEqual(['hello']);
  });
});

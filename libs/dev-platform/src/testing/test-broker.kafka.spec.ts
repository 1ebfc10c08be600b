import { randomUUID } from 'node:crypto';
import { BROKER_TIMEOUT_MS, testBroker } from '.';
import { TestKafkaClient } from './kafka-client';

jest.setTimeout(BROKER_TIMEOUT_MS);

describe('the shared test broker', () => {
  it('is the same for every caller, and works', async () => {
    const [first, second] = await Promise.all([testBroker(), testBroker()]);
    expect(second).toBe(first);
    const client = new TestKafkaClient(first);
    const topic = `${randomUUID()}.notes`;
    await client.createTopic(topic);
    await client.send(topic, 'hello');
    expect(await client.receive(topic, 1)).toEqual(['hello']);
  });
});

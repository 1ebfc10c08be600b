import { NoReply } from '@florin/event-sourcing';
import { BusOverloaded } from './kafka-command-bus-options';
import { type OutboundMessage, OutboundQueue } from './outbound-queue';

const outbound = (topic: string, text: string): OutboundMessage => ({
  topic,
  context: topic,
  message: { value: Buffer.from(text) },
  label: `${topic} ${text}`,
});

const texts = (batch: readonly OutboundMessage[]): readonly string[] =>
  batch.map(({ message }) => String(message.value)[0]!);

function queueOf(limits: { maxWaiting?: number; timeoutMs?: number } = {}, nowMs?: () => number) {
  const queue = new OutboundQueue({ maxWaiting: 100, timeoutMs: 1_000, ...limits }, nowMs);
  const failed: unknown[] = [];
  const sent: string[] = [];
  const put = (topic: string, text: string): void => {
    queue.put(outbound(topic, text)).then(
      () => sent.push(text),
      (error: unknown) => failed.push(error),
    );
  };
  return { queue, put, sent, failed };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('OutboundQueue', () => {
  it('returns the messages of all topics in order', () => {
    const { queue, put } = queueOf();
    for (const [topic, text] of ['a1', 'b2', 'a3'] as const) put(topic!, text!);
    expect(texts(queue.take({ oneTopic: false }))).toEqual(['1', '2', '3']);
    expect(queue.take({ oneTopic: false })).toEqual([]);
  });

  it('returns the messages of a single topic on request', () => {
    const { queue, put } = queueOf();
    for (const [topic, text] of ['a1', 'b2', 'a3'] as const) put(topic!, text!);
    expect(texts(queue.take({ oneTopic: true }))).toEqual(['1', '3']);
    expect(texts(queue.take({ oneTopic: true }))).toEqual(['2']);
  });

  it('limits a batch to what a broker accepts, without reordering', () => {
    const { queue, put } = queueOf();
    for (const text of ['1', '2', '3']) put('a', text.repeat(400_000));
    put('a', '4');
    expect(texts(queue.take({ oneTopic: false }))).toEqual(['1', '2']);
    expect(texts(queue.take({ oneTopic: false }))).toEqual(['3', '4']);
  });

  it('returns unsent messages before later ones', () => {
    const { queue, put } = queueOf();
    put('a', '1');
    const batch = queue.take({ oneTopic: false });
    put('a', '2');
    queue.putBack(batch);
    expect(texts(queue.take({ oneTopic: false }))).toEqual(['1', '2']);
  });

  it('accepts replies even when it is full', async () => {
    const { queue, put, failed } = queueOf({ maxWaiting: 1 });
    put('a', '1');
    put('a', '2');
    const { context: _, ...reply } = outbound('replies', '3');
    void queue.put(reply);
    await settled();
    expect(failed).toHaveLength(1);
    expect(texts(queue.take({ oneTopic: false }))).toEqual(['1', '3']);
  });

  it('counts taken messages until they are settled', async () => {
    const { queue, put, sent, failed } = queueOf({ maxWaiting: 2 });
    put('a', '1');
    put('a', '2');
    const batch = queue.take({ oneTopic: false });
    put('a', '3');
    await settled();
    expect(failed).toEqual([expect.any(BusOverloaded)]);
    queue.resolve(batch);
    put('a', '4');
    await settled();
    expect(sent).toEqual(['1', '2']);
    expect(texts(queue.take({ oneTopic: false }))).toEqual(['4']);
  });

  it('rejects a message that no broker would accept', async () => {
    const { put, failed } = queueOf();
    put('a', 'x'.repeat(1_000_000));
    await settled();
    expect(failed).toEqual([expect.objectContaining({ cause: expect.any(RangeError) })]);
  });

  it('rejects expired messages with an unknown outcome', async () => {
    let nowMs = 0;
    const { queue, put, failed } = queueOf({ timeoutMs: 10 }, () => nowMs);
    put('a', '1');
    nowMs = 5;
    put('a', '2');
    nowMs = 10;
    queue.rejectExpired();
    await settled();
    expect(failed).toEqual([new NoReply('a 1 was not acknowledged by Kafka within 10 ms; its outcome is unknown')]);
    expect(texts(queue.take({ oneTopic: false }))).toEqual(['2']);
  });
});

import { createSecretKey } from 'node:crypto';
import { until } from '@florin/kernel/testing';
import type { Message } from 'kafkajs';
import type { BusTrust } from './bus-trust.port';
import { MessageSigner } from './message-signer';
import { headersOf } from './testing/kafka-probe';
import { onTestBroker } from './testing/on-test-broker';
import { commandOf } from './testing/replica';
import { encodeCommand, encodeReply } from './wire';

jest.setTimeout(60_000);

const { probe, open, place } = onTestBroker('trust');

const keys: Readonly<Record<string, Buffer>> = {
  'gateway>test': Buffer.alloc(32, 1),
  'operations>test': Buffer.alloc(32, 2),
  'gateway>other': Buffer.alloc(32, 3),
};

/** The gateway may send Deposit; operations may only send Ping. */
const trust: BusTrust = {
  keysOf: ({ sender, context }) => {
    const key = keys[`${sender}>${context}`];
    return key === undefined ? [] : [createSecretKey(key)];
  },
  isPermitted: ({ sender, type }) => type === 'Ping' || sender === 'gateway',
};

const signerOf = (service: string, nowMs = Date.now()): MessageSigner => new MessageSigner(service, trust, () => nowMs);

describe('Messages on Kafka that must not be trusted', () => {
  it('have no effect, and leave a dead letter with the reason', async () => {
    const here = { ...place(), partitions: 1, trust };
    const topic = `${here.topicPrefix}test.commands`;
    const deposits: unknown[] = [];
    const handlers = {
      Deposit: async ({ command }: { command: { data: unknown } }) => void deposits.push(command.data),
    };
    const { bus } = await open({ ...handlers, Ping: async () => 1 }, { ...here, service: 'gateway' });
    await bus.request(commandOf('Deposit', 'genuine'));
    const [genuine] = await probe.read(topic, 1);

    const deposit = (): Message => encodeCommand(commandOf('Deposit', '777777.00'));
    const sign = (service: string, nowMs?: number, context = 'test', onTopic = topic): Message =>
      signerOf(service, nowMs).signCommand(deposit(), context, onTopic);
    const changed = sign('gateway');
    const attacks: Readonly<Record<string, Message>> = {
      unsigned: deposit(),
      unknown_sender: { ...changed, headers: { ...changed.headers, sender: 'tron-watcher' } },
      bad_signature: { ...changed, value: Buffer.from(String(changed.value).replace('777777.00', '888888.00')) },
      're-targeted': sign('gateway', undefined, 'other', `${here.topicPrefix}other.commands`),
      stale: sign('gateway', Date.now() - 6 * 60_000),
      replayed: { key: genuine!.key, value: genuine!.value, headers: genuine!.headers! },
      not_permitted: sign('operations'),
    };
    await probe.writeAll(topic, Object.values(attacks));
    const deadLetters = await probe.read(`${here.topicPrefix}test.dead-letters`, Object.keys(attacks).length);
    const reasons = deadLetters.map((message) => headersOf(message)['dead-letter-reason']?.split(':')[0]);
    expect(reasons).toEqual(Object.keys(attacks).map((attack) => attack.replace('re-targeted', 'bad_signature')));
    expect(new Set(deadLetters.map((message) => headersOf(message)['dead-letter-error']))).toEqual(
      new Set(['RejectedCommand']),
    );
    await expect(bus.request(commandOf('Ping'))).resolves.toBe(1);
    expect(deposits).toEqual(['genuine']);
    expect(Object.fromEntries(bus.rejections)).toEqual({
      unsigned: 1,
      unknown_sender: 1,
      bad_signature: 2,
      stale: 1,
      replayed: 1,
      not_permitted: 1,
    });
  });

  it('include replies: a forged one is ignored, and the genuine one is awaited', async () => {
    const here = { ...place(), partitions: 1, trust };
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const wait = async (): Promise<string> => {
      await released;
      return 'genuine';
    };
    const { bus } = await open({ Deposit: wait }, { ...here, service: 'gateway' });
    const answer = bus.request(commandOf('Deposit'));
    const [command] = await probe.read(`${here.topicPrefix}test.commands`, 1);
    const { 'reply-to': replyTopic, 'request-id': requestId } = headersOf(command!);
    const reply = encodeReply(requestId!, 'done', 'forged');
    const forged = [
      reply,
      // The thief has the key of another edge, or repeats a reply to another request.
      signerOf('operations').signReply(reply, replyTopic!, { sender: 'operations', context: 'test' }),
      signerOf('gateway').signReply(reply, 'another topic', { sender: 'gateway', context: 'test' }),
    ];
    await probe.writeAll(replyTopic!, forged);
    await until(() => bus.rejections.get('forged_reply') === forged.length);
    release();
    await expect(answer).resolves.toBe('genuine');
  });
});

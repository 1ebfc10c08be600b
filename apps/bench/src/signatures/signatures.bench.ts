import { BusKeys, isPermitted } from '@florin/bus-trust';
import { MessageSigner } from '@florin/command-bus-kafka';
import type { Bench } from '../bench';
import { medians } from '../measure';

const batches = 100;
/** Small, so that garbage collections do not copy many prepared commands during the measurement. */
const batchSize = 200;
const command = { type: 'CreateReservation', data: { accountId: 'c1-live', order: 'x'.repeat(700) } };

/** The measurement behind docs/adr/0032-signed-commands.md. */
export const signaturesBench: Bench = {
  name: 'signatures',
  title: 'Signed commands on the bus (µs per command of 900 bytes)',
  run: async ({ rounds, progress }) => {
    progress('signing and verifying');
    const keys = BusKeys.generate();
    const signerOf = (service: string): MessageSigner =>
      new MessageSigner(service, { keysOf: keys.for(service).keysOf(), isPermitted });
    const [operations, ledger] = [signerOf('operations'), signerOf('ledger')];
    const topic = 'ledger.commands';
    const value = Buffer.from(JSON.stringify({ context: 'ledger', key: 'c1-live', id: 'x'.repeat(36), command }));
    const headers = { 'reply-to': 'replies.operations-1', 'request-id': 'r', deadline: '1800000000000' };
    const sign = () => operations.signCommand({ key: 'c1-live', value, headers }, 'ledger', topic);
    const delivered = (offset: number) => asDelivered(sign(), offset);
    const rates = await medians(
      {
        sign: timed(() => undefined, sign),
        'verify and check the permission': timed(delivered, (message) => {
          const sender = ledger.verifyCommand({ context: 'ledger', topic, partition: 0, message });
          ledger.requirePermission(sender, 'ledger', command);
        }),
        'sign a reply': timed(
          () => undefined,
          () => ledger.signReply({ value, headers }, topic, { sender: 'operations', context: 'ledger' }),
        ),
      },
      rounds,
    );
    return Object.entries(rates).map(([what, rate]) => ({ what, figures: { µs: 1e6 / rate } }));
  },
};

type Delivered = Parameters<MessageSigner['verifyCommand']>[0]['message'];

/** Kafka delivers headers and keys as bytes. */
function asDelivered({ key, value, headers }: ReturnType<MessageSigner['signCommand']>, offset: number): Delivered {
  const bytes = Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(String(text))]);
  return {
    key: Buffer.from(String(key)),
    value: value as Buffer,
    headers: Object.fromEntries(bytes) as NonNullable<Delivered['headers']>,
    offset: String(offset),
    timestamp: '0',
    attributes: 0,
  };
}

/** The work per second of CPU time, without its preparation. */
function timed<Input>(prepare: (index: number) => Input, work: (input: Input) => unknown): () => Promise<number> {
  return async () => {
    let microseconds = 0;
    for (let batch = 0; batch < batches; batch++) {
      const inputs = Array.from({ length: batchSize }, (_, index) => prepare(batch * batchSize + index));
      const before = process.cpuUsage();
      for (const input of inputs) work(input);
      const { user, system } = process.cpuUsage(before);
      microseconds += user + system;
    }
    return (batches * batchSize) / (microseconds / 1e6);
  };
}

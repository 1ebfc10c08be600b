import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KafkaBroker } from '@florin/dev-platform';
import { BROKER_TIMEOUT_MS } from '@florin/dev-platform/testing';
import { until } from '@florin/kernel/testing';
import { commandOf, openReplica } from './testing/replica';

jest.setTimeout(90_000);

describe('KafkaCommandBus during a broker outage', () => {
  let broker: KafkaBroker;
  let dataDirectory: string;

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'florin-bus-outage-'));
    broker = await KafkaBroker.start({ dataDirectory });
  }, BROKER_TIMEOUT_MS);

  afterAll(async () => {
    await broker.kill();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('loses no command and keeps the order per key while the broker is killed and restarted', async () => {
    const firsts = new Map<string, number[]>();
    const handlers = {
      Note: async ({ key, command }: { key: string; command: { data: unknown } }) => {
        const seen = firsts.get(key) ?? [];
        firsts.set(key, seen);
        if (!seen.includes(command.data as number)) seen.push(command.data as number);
      },
      Ping: async () => 'pong',
    };
    const place = {
      brokers: [broker.address],
      topicPrefix: 'outage.',
      replyTimeoutMs: 60_000,
      sessionTimeoutMs: 3_000,
    };
    const replica = await openReplica(handlers, place);
    const send = (from: number, to: number): Promise<void>[] => {
      const numbers = Array.from({ length: to - from }, (_, index) => from + index);
      return numbers.map((data) => replica.bus.send(commandOf('Note', data, `k${data % 3}`)));
    };
    await Promise.all(send(0, 60));
    const inFlight = send(60, 120);
    await broker.kill();
    const meanwhile = send(120, 180);
    const asked = replica.bus.request(commandOf('Ping'));
    await broker.restart();
    await Promise.all([...inFlight, ...meanwhile, ...send(180, 240)]);
    await expect(asked).resolves.toBe('pong');
    await until(() => [...firsts.values()].flat().length === 240);
    for (const numbers of firsts.values()) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    await until(() => replica.bus.status() === true);
    expect(replica.lost).toEqual([]);
    await replica.close();
  });

  it('reports that the process has to exit when the broker does not return', async () => {
    const place = { brokers: [broker.address], topicPrefix: 'lost.', lostAfterMs: 1_000, replyTimeoutMs: 2_000 };
    const replica = await openReplica({ Ping: async () => 'pong' }, place);
    expect(replica.bus.status()).toBe(true);
    await broker.kill();
    // The consumer of commands and the consumer of replies.
    await until(() => replica.lost.length === 2);
    expect(replica.lost[0]!.message).toMatch(/^The consumer of lost\..+ is lost: /);
    expect(replica.bus.status()).toMatch(/is lost/);
    await expect(replica.bus.request(commandOf('Ping'))).rejects.toThrow(/Ping/);
    await replica.close();
  });

  it('starts as soon as the broker is available', async () => {
    await broker.kill();
    const starting = openReplica({ Ping: async () => 'pong' }, { brokers: [broker.address], topicPrefix: 'early.' });
    await broker.restart();
    const replica = await starting;
    await expect(replica.bus.request(commandOf('Ping'))).resolves.toBe('pong');
    await replica.close();
  });
});

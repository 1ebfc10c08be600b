import { NoReply } from '@florin/event-sourcing';
import { until } from '@florin/kernel/testing';
import { MessageSigner } from './message-signer';
import { headersOf } from './testing/kafka-probe';
import { onTestBroker } from './testing/on-test-broker';
import { openReplicaProcess } from './testing/replica-process';
import { commandOf, openReplica, TransientFailure, trustEverybody, type ReplicaOptions } from './testing/replica';

jest.setTimeout(60_000);

const { probe, open, place } = onTestBroker('transport');
const signer = new MessageSigner('spec', trustEverybody);
const lagAt = ({ topicPrefix }: ReplicaOptions): Promise<number> =>
  probe.lag(`${topicPrefix}test.commands`, `${topicPrefix}test`);

describe('KafkaTransport', () => {
  it('redelivers to another replica the commands that a killed replica had not finished', async () => {
    const here = { ...place(), partitions: 1, sessionTimeoutMs: 3_000 };
    const victim = await openReplicaProcess({ ...here, service: 'victim' });
    const { bus } = await open({}, here);
    for (const data of [1, 2, 3]) await bus.send(commandOf('Note', data));
    await until(() => victim.got.length === 3);
    await victim.kill();
    const got: unknown[] = [];
    await open({ Note: async ({ command }) => void got.push(command.data) }, here);
    await until(() => got.length >= 3);
    expect(got).toEqual([1, 2, 3]);
    await until(async () => (await lagAt(here)) === 0);
  });

  it('distributes partitions over replicas: each key has one owner and keeps its order', async () => {
    const here = { ...place(), partitions: 6 };
    const got: { key: string; replica: number; data: unknown }[] = [];
    const handlersOf = (replica: number) => ({
      Note: async ({ key, command }: { key: string; command: { data: unknown } }) => {
        got.push({ key, replica, data: command.data });
      },
    });
    const { bus } = await open(handlersOf(1), here);
    await open(handlersOf(2), here);
    const keys = Array.from({ length: 24 }, (_, index) => `key ${index}`);
    const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    await Promise.all(numbers.flatMap((data) => keys.map((key) => bus.request(commandOf('Note', data, key)))));
    for (const key of keys) {
      const ofKey = got.filter((entry) => entry.key === key);
      expect(ofKey.map(({ data }) => data)).toEqual(numbers);
      expect(new Set(ofKey.map(({ replica }) => replica)).size).toBe(1);
    }
    expect(new Set(got.map(({ replica }) => replica))).toEqual(new Set([1, 2]));
  });

  it('writes malformed, unhandled and permanently failing commands to the dead-letter topic with the reason', async () => {
    const here = place();
    const { bus } = await open({ Break: () => Promise.reject(new RangeError('a defect')), Ping: async () => 1 }, here);
    const topic = `${here.topicPrefix}test.commands`;
    const write = async (value: string | null, headers = {}): Promise<void> => {
      const message = { key: 'k', value: value === null ? null : Buffer.from(value), headers };
      await probe.writeAll(topic, [signer.signCommand(message, 'test', topic)]);
    };
    await write('not JSON');
    await write(null, { 'x-from': 'elsewhere' });
    await write(JSON.stringify({ ...commandOf('Ping'), context: 'other' }));
    await until(async () => (await lagAt(here)) === 0);
    await expect(bus.request(commandOf('Unknown'))).rejects.toBeInstanceOf(NoReply);
    await bus.send(commandOf('Break', 'data'));
    const messages = await probe.read(`${here.topicPrefix}test.dead-letters`, 5);
    expect(messages.map(headersOf)).toEqual([
      expect.objectContaining({ 'dead-letter-error': 'MalformedCommand', 'dead-letter-offset': '0' }),
      expect.objectContaining({ 'dead-letter-reason': expect.stringContaining('no value'), 'x-from': 'elsewhere' }),
      expect.objectContaining({ 'dead-letter-reason': expect.stringContaining('the context other') }),
      expect.objectContaining({ 'dead-letter-reason': 'Nothing handles test.commands/Unknown', 'request-id': '1' }),
      expect.objectContaining({ 'dead-letter-error': 'RangeError', 'dead-letter-reason': 'a defect' }),
    ]);
    expect(headersOf(messages[0]!)).toMatchObject({
      'dead-letter-topic': topic,
      'dead-letter-partition': '0',
      'dead-letter-timestamp': expect.stringMatching(/^\d{13}$/),
    });
    expect(String(messages[0]!.value)).toBe('not JSON');
    expect(JSON.parse(String(messages[4]!.value))).toMatchObject({ command: { type: 'Break', data: 'data' } });
    await expect(bus.request(commandOf('Ping'))).resolves.toBe(1);
    await until(async () => (await lagAt(here)) === 0);
  });

  it('retries a sent command until the transient failure is over', async () => {
    const here = place();
    let tries = 0;
    const stumble = async (): Promise<void> => {
      if (++tries < 3) throw new TransientFailure('not yet');
    };
    const { bus } = await open({ Stumble: stumble }, here);
    await bus.send(commandOf('Stumble'));
    await until(() => tries === 3);
    await until(async () => (await lagAt(here)) === 0);
    expect(tries).toBe(3);
  });

  it('skips a request whose deadline has passed, but handles every sent command', async () => {
    const here = { ...place(), partitions: 1 };
    const { bus } = await open({}, { ...here, replyTimeoutMs: 500 });
    await expect(bus.request(commandOf('Note', 'requested'))).rejects.toBeInstanceOf(NoReply);
    await bus.send(commandOf('Note', 'sent'));
    const got: unknown[] = [];
    await open({ Note: async ({ command }) => void got.push(command.data) }, here);
    await until(async () => (await lagAt(here)) === 0);
    expect(got).toEqual(['sent']);
  });

  it('leaves to the next owner the commands that it could not finish before it was closed', async () => {
    const here = place();
    let tries = 0;
    const replica = await openReplica(
      {
        Fail: async () => {
          tries += 1;
          throw new TransientFailure('still not');
        },
      },
      here,
    );
    await replica.bus.send(commandOf('Fail', 'late'));
    await until(() => tries > 0);
    await replica.close();
    await expect(lagAt(here)).resolves.toBe(1);
    const got: unknown[] = [];
    await open({ Fail: async ({ command }) => void got.push(command.data) }, here);
    await until(() => got.length > 0);
    expect(got).toEqual(['late']);
  });

  it('finishes, replies to and commits the commands in progress before it closes', async () => {
    const here = place();
    const started: unknown[] = [];
    const finished: unknown[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const service = await openReplica(
      {
        Work: async ({ command }) => {
          started.push(command.data);
          await released;
          finished.push(command.data);
          return command.data;
        },
      },
      here,
    );
    const { bus } = await open({}, here);
    const replies = [1, 2, 3].map((data) => bus.request(commandOf('Work', data, `k${data}`)));
    await bus.send(commandOf('Work', 4));
    await until(() => started.length === 4);
    const closed = service.close();
    release();
    await closed;
    expect(finished).toHaveLength(4);
    await expect(Promise.all(replies)).resolves.toEqual([1, 2, 3]);
    await expect(lagAt(here)).resolves.toBe(0);
  });

  it('does not commit past an unfinished command', async () => {
    const here = { ...place(), partitions: 1 };
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { bus } = await open({ Wait: () => released, Ping: async () => 1 }, here);
    await bus.request(commandOf('Ping'));
    await bus.send(commandOf('Wait'));
    await bus.request(commandOf('Ping'));
    await until(async () => (await lagAt(here)) === 2);
    await bus.request(commandOf('Ping'));
    await expect(lagAt(here)).resolves.toBe(3);
    release();
    await until(async () => (await lagAt(here)) === 0);
  });

  it('pauses a partition with too many unfinished commands while the others continue', async () => {
    const here = { ...place(), partitions: 2, maxUnfinishedPerPartition: 5 };
    let arrived = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const handlers = {
      Wait: () => {
        arrived += 1;
        return released;
      },
      Ping: async () => 'pong',
    };
    const { bus } = await open(handlers, here);
    // A fetch returns up to 256 KiB of a partition. The keys `a` and `d` are in different partitions.
    const sends = Array.from({ length: 40 }, () => bus.send(commandOf('Wait', 'x'.repeat(50_000), 'a')));
    await Promise.all(sends);
    await until(() => arrived >= 5);
    for (let count = 0; count < 5; count++) await bus.request(commandOf('Ping', null, 'd'));
    const arrivedMeanwhile = arrived;
    release();
    await until(() => arrived === 40);
    expect(arrivedMeanwhile).toBeLessThan(40);
  });
});

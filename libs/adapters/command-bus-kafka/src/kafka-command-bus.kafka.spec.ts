import { EventStoreMismatch, isStoreMismatch, NoReply } from '@florin/event-sourcing';
import { commandBusContract } from '@florin/event-sourcing/testing';
import { until } from '@florin/kernel/testing';
import { BusOverloaded } from './kafka-command-bus-options';
import { headersOf } from './testing/kafka-probe';
import { onTestBroker } from './testing/on-test-broker';
import { commandOf, openReplica, TransientFailure, type Replica } from './testing/replica';

jest.setTimeout(60_000);

const { probe, open, place } = onTestBroker('bus');

commandBusContract('KafkaCommandBus', (handlers) => openReplica(handlers, place()));

describe('KafkaCommandBus', () => {
  it('routes each reply to the instance that sent the request', async () => {
    const here = place();
    await open({ Echo: async ({ command }) => command.data }, here);
    const [first, second] = await Promise.all([
      open({}, { ...here, service: 'one' }),
      open({}, { ...here, service: 'two' }),
    ]);
    const ask = ({ bus }: Replica, name: string) =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => bus.request(commandOf('Echo', `${name} ${index}`, `k${index}`))),
      );
    const [replies, others] = await Promise.all([ask(first, 'first'), ask(second, 'second')]);
    expect(replies).toEqual(Array.from({ length: 20 }, (_, index) => `first ${index}`));
    expect(others).toEqual(Array.from({ length: 20 }, (_, index) => `second ${index}`));
  });

  it('accepts a request before the handling service has started for the first time', async () => {
    const here = place();
    const { bus } = await open({}, { ...here, replyTimeoutMs: 30_000 });
    const reply = bus.request(commandOf('Add', [1, 2]));
    await until(async () =>
      (await probe.ask((admin) => admin.listTopics())).includes(`${here.topicPrefix}test.commands`),
    );
    await open({ Add: async () => 3 }, here);
    await expect(reply).resolves.toBe(3);
  });

  it('times out when a handler never replies', async () => {
    let answer = (): void => undefined;
    const hang = () => new Promise<void>((resolve) => (answer = resolve));
    const { bus } = await open({ Hang: hang }, { ...place(), replyTimeoutMs: 1_000 });
    const failure = await bus.request(commandOf('Hang')).catch((error: unknown) => error);
    expect(failure).toEqual(new NoReply('Hang got no reply within 1000 ms; its outcome is unknown'));
    expect(failure).not.toHaveProperty('cause');
    answer();
  });

  it('distinguishes a transient failure from a permanent one', async () => {
    const handlers = {
      Pass: () => Promise.reject(new TransientFailure('the database restarts')),
      Break: () => Promise.reject(new RangeError('a defect')),
    };
    const { bus } = await open(handlers, place());
    const passing = await bus.request(commandOf('Pass')).catch((error: unknown) => error as Error);
    expect(passing).toBeInstanceOf(NoReply);
    expect(passing).toHaveProperty('message', expect.stringContaining('the database restarts'));
    expect(passing).not.toHaveProperty('cause');
    const broken = await bus.request(commandOf('Break')).catch((error: unknown) => error as Error);
    expect(broken).toBeInstanceOf(NoReply);
    expect(broken).toMatchObject({ cause: { name: 'RangeError', message: 'a defect' } });
  });

  it('reports to the requester that the event store is another one', async () => {
    const mismatch = new EventStoreMismatch('The event store was exchanged');
    const handlers = { Append: () => Promise.reject(new Error('The command failed', { cause: mismatch })) };
    const { bus } = await open(handlers, { ...place(), isTransient: isStoreMismatch });
    const failure = await bus.request(commandOf('Append')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NoReply);
    expect(isStoreMismatch(failure)).toBe(true);
    expect(failure).toMatchObject({ cause: { message: 'The event store was exchanged' } });
  });

  it('reports a reply or a command that is too large', async () => {
    const { bus } = await open({ Grow: async () => 'x'.repeat(2_000_000), Ping: async () => 1 }, place());
    await expect(bus.request(commandOf('Grow'))).rejects.toMatchObject({ cause: { name: 'RangeError' } });
    await expect(bus.request(commandOf('Ping', 'x'.repeat(2_000_000)))).rejects.toMatchObject({
      cause: { name: 'RangeError' },
    });
    await expect(bus.request(commandOf('Ping'))).resolves.toBe(1);
  });

  it('sends more messages at once than fit into one batch', async () => {
    const { bus } = await open({ Measure: async ({ command }) => String(command.data).length }, place());
    const replies = Array.from({ length: 60 }, () => bus.request(commandOf('Measure', 'x'.repeat(50_000))));
    await expect(Promise.all(replies)).resolves.toEqual(Array.from({ length: 60 }, () => 50_000));
  });

  it('rejects messages above its limits immediately and does not send them', async () => {
    const got: unknown[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const handlers = {
      Wait: async ({ command }: { command: { data: unknown } }) => {
        got.push(command.data);
        await released;
      },
    };
    const { bus } = await open(handlers, { ...place(), maxWaiting: 3 });
    const sends = [1, 2, 3, 4].map((data) => bus.send(commandOf('Wait', data)));
    await expect(sends[3]).rejects.toBeInstanceOf(BusOverloaded);
    await Promise.all(sends.slice(0, 3));
    const requests = [5, 6, 7].map((data) => bus.request(commandOf('Wait', data)));
    await expect(bus.request(commandOf('Wait', 8))).rejects.toBeInstanceOf(BusOverloaded);
    release();
    await Promise.all(requests);
    expect(got).toEqual([1, 2, 3, 5, 6, 7]);
  });

  it('puts the trace context into a header of the message', async () => {
    const here = place();
    const { bus } = await open({ Ping: async () => 1 }, here);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const command = commandOf('Ping');
    await bus.request({ ...command, headers: { ...command.headers, traceparent } });
    const [message] = await probe.read(`${here.topicPrefix}test.commands`, 1);
    expect(headersOf(message!)).toMatchObject({ traceparent });
    expect(String(message!.key)).toBe('k');
  });

  it('deletes its reply topic when it closes and rejects new commands', async () => {
    const here = place();
    const replica = await openReplica({ Ping: async () => 1 }, here);
    const replyTopics = async (): Promise<readonly string[]> => {
      const topics = await probe.ask((admin) => admin.listTopics());
      return topics.filter((topic) => topic.startsWith(`${here.topicPrefix}replies.spec-`));
    };
    await expect(replyTopics()).resolves.toHaveLength(1);
    await replica.close();
    await expect(replyTopics()).resolves.toEqual([]);
    await expect(replica.bus.request(commandOf('Ping'))).rejects.toBeInstanceOf(NoReply);
    await expect(replica.bus.send(commandOf('Ping'))).rejects.toBeInstanceOf(NoReply);
  });

  it('keeps replying to other instances after one reply topic was deleted', async () => {
    const here = place();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const service = await open({ Wait: () => released, Ping: async () => 'pong' }, here);
    const leaver = await openReplica({}, here);
    const cutOff = expect(leaver.bus.request(commandOf('Wait'))).rejects.toBeInstanceOf(NoReply);
    await expect(leaver.bus.request(commandOf('Ping'))).resolves.toBe('pong');
    await leaver.close();
    await cutOff;
    release();
    const replies = Array.from({ length: 10 }, () => service.bus.request(commandOf('Ping')));
    await expect(Promise.all(replies)).resolves.toEqual(Array.from({ length: 10 }, () => 'pong'));
  });

  it('deletes reply topics of the same service that ended long ago, and no others', async () => {
    const here = place();
    const born = (ageMs: number, service: string, number: number) =>
      `${here.topicPrefix}replies.${service}-${Date.now() - ageMs}-0123abc${number}`;
    const hourMs = 3_600_000;
    const gone = born(2 * hourMs, 'spec', 1);
    const alive = born(2 * hourMs, 'spec', 2);
    const young = born(hourMs / 2, 'spec', 3);
    const foreign = born(2 * hourMs, 'other', 4);
    const topics = [gone, alive, young, foreign].map((topic) => ({ topic }));
    await probe.ask((admin) => admin.createTopics({ topics }));
    const reader = probe.kafka.consumer({ groupId: alive, maxWaitTimeInMs: 100 });
    await reader.connect();
    await reader.subscribe({ topics: [alive] });
    await reader.run({ eachMessage: async () => undefined });
    await open({}, here);
    await until(async () => !(await probe.ask((admin) => admin.listTopics())).includes(gone));
    await expect(probe.ask((admin) => admin.listTopics())).resolves.toEqual(
      expect.arrayContaining([alive, young, foreign]),
    );
    await reader.disconnect();
  });
});

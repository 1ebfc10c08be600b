import { serviceActor } from '@florin/kernel';
import { type CommandBus, type CommandMessage, NoReply } from '../ports/command-bus.port';

export type BusHandlers = Readonly<Record<string, (message: CommandMessage) => Promise<unknown>>>;

export interface BusUnderTest {
  readonly bus: CommandBus;
  close(): Promise<void>;
}

/** `open` starts a bus on which the context `test` handles the given command types. */
export function commandBusContract(name: string, open: (handlers: BusHandlers) => Promise<BusUnderTest>): void {
  describe(`${name} as a command bus`, () => {
    let opened: BusUnderTest | undefined;

    const start = async (handlers: BusHandlers): Promise<CommandBus> => {
      opened = await open(handlers);
      return opened.bus;
    };

    afterEach(async () => {
      await opened?.close();
      opened = undefined;
    });

    it('returns the reply of the handler', async () => {
      const bus = await start({ Add: async ({ command }) => ({ sum: sumOf(command.data) }) });
      await expect(bus.request(message('Add', [1, 2]))).resolves.toEqual({ sum: 3 });
    });

    it('treats properties named key or value like any other', async () => {
      const reply = { key: 'k', value: { value: null }, headers: { key: 1 } };
      const bus = await start({ Echo: async ({ command }) => command.data });
      await expect(bus.request(message('Echo', reply))).resolves.toEqual(reply);
    });

    it('delivers the id, the key and the headers', async () => {
      const bus = await start({ Show: async (received) => received });
      const sent = message('Show', {}, 'k1');
      await expect(bus.request(sent)).resolves.toEqual(sent);
    });

    it('delivers a JSON copy', async () => {
      const bus = await start({ Echo: async ({ command }) => command.data });
      const data = { when: new Date(0), nothing: undefined, text: 'ä"\\\n€' };
      const reply = bus.request(message('Echo', data));
      data.text = 'changed after sending';
      await expect(reply).resolves.toEqual({ when: '1970-01-01T00:00:00.000Z', text: 'ä"\\\n€' });
    });

    it('delivers a command of 60 KiB', async () => {
      const text = 'x'.repeat(60 * 1024);
      const bus = await start({ Echo: async ({ command }) => command.data });
      await expect(bus.request(message('Echo', { text }))).resolves.toEqual({ text });
    });

    it('delivers in order per key, without waiting for earlier replies', async () => {
      const arrived = new Map<string, number[]>();
      let release = (): void => undefined;
      const all = new Promise<void>((resolve) => (release = resolve));
      let count = 0;
      const bus = await start({
        Note: async ({ key, command }) => {
          arrived.set(key, [...(arrived.get(key) ?? []), command.data as number]);
          if (++count === 300) release();
          await all;
          return null;
        },
      });
      const replies = Array.from({ length: 300 }, (_, index) => bus.request(message('Note', index, `k${index % 3}`)));
      await Promise.all(replies);
      for (const numbers of arrived.values()) {
        expect(numbers).toHaveLength(100);
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      }
    });

    it('does not wait for the handler of a sent command', async () => {
      let finish = (): void => undefined;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      let got: unknown;
      const bus = await start({
        Slow: async ({ command }) => {
          await finished;
          got = command.data;
        },
        Ping: async () => 'pong',
      });
      await bus.send(message('Slow', 'sent'));
      expect(got).toBeUndefined();
      finish();
      await bus.request(message('Ping', null));
      await opened?.close();
      opened = undefined;
      expect(got).toBe('sent');
    });

    it('rejects when a handler fails, and continues with the next message', async () => {
      const bus = await start({
        Divide: async ({ command }) => {
          if (command.data === 0) throw new Error('division by zero');
          return 1;
        },
      });
      await expect(bus.request(message('Divide', 0))).rejects.toBeInstanceOf(NoReply);
      await expect(bus.request(message('Divide', 1))).resolves.toBe(1);
    });

    it('rejects when there is no handler for the command', async () => {
      const bus = await start({ Known: async () => 1 });
      await expect(bus.request(message('Unknown', {}))).rejects.toBeInstanceOf(NoReply);
    });
  });
}

let sent = 0;

function message(type: string, data: unknown, key = 'k'): CommandMessage {
  const id = `m${++sent}`;
  return {
    context: 'test',
    key,
    id,
    command: { type, data },
    headers: { correlationId: 'c', causationId: 'r', actor: serviceActor('test') },
  };
}

function sumOf(data: unknown): number {
  return (data as readonly number[]).reduce((sum, value) => sum + value, 0);
}

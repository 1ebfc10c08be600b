import type { CommandMessage } from '@florin/event-sourcing';
import { manualClock, refuse } from '@florin/kernel';
import type { OperationsOptions } from './operations-options';
import { OperationsWatchdog } from './operations.watchdog';

const clock = manualClock('2030-01-01T00:01:00.000Z');

function watchdogOver(reply: (operationId: string) => Promise<unknown>, find = async () => ['a', 'b']) {
  const lines: string[] = [];
  const asked: string[] = [];
  const write = (_details: object, message: string): void => void lines.push(message);
  const options: OperationsOptions = {
    issuerTimeoutMs: 1,
    issuerConcurrency: 1,
    minimums: { issue: '1.00', topup: '1.00' },
    watchdog: { everyMs: 1, stalledAfterMs: 20_000 },
    log: { info: () => undefined, warn: write, error: write },
  };
  const request = <Reply>(message: CommandMessage): Promise<Reply> => {
    asked.push(`${message.context} ${message.key} ${message.command.type}`);
    return reply(message.key) as Promise<Reply>;
  };
  const looks: Date[] = [];
  const notMovedSince = (before: Date): Promise<string[]> => {
    looks.push(before);
    return find();
  };
  const bus = { request, send: async () => undefined };
  const watchdog = new OperationsWatchdog({ notMovedSince }, bus, clock, options);
  return { watchdog, lines, asked, looks };
}

const done = async (): Promise<unknown> => ({ ok: true, repeated: false, answer: null });

describe('OperationsWatchdog', () => {
  it('has every operation moved on that stood still for too long', async () => {
    const { watchdog, lines, asked, looks } = watchdogOver(done);
    await watchdog.tick();
    expect(looks).toEqual([new Date('2030-01-01T00:00:40.000Z')]);
    expect(asked).toEqual(['operations a AdvanceOperation', 'operations b AdvanceOperation']);
    expect(lines).toEqual([]);
  });

  it('goes on with the others when one fails or is refused, and tells of it', async () => {
    const { watchdog, lines, asked } = watchdogOver((operationId) =>
      operationId === 'a'
        ? Promise.reject(new Error('no reply'))
        : Promise.resolve({ ok: false, refusal: refuse('reservation_released', 'It was released') }),
    );
    await watchdog.tick();
    expect(asked).toHaveLength(2);
    expect(lines.sort()).toEqual([
      'An operation cannot be resumed; investigate it',
      'Could not resume an operation; retrying',
    ]);
  });

  it('survives a read model that cannot be asked', async () => {
    const { watchdog, lines } = watchdogOver(done, () => Promise.reject(new Error('no database')));
    await watchdog.tick();
    expect(lines).toEqual(['Could not read the stalled operations; retrying']);
  });

  it('looks again and again until it is stopped, and can be started anew', async () => {
    let onLook = (): void => undefined;
    const { watchdog, looks } = watchdogOver(done, async () => {
      onLook();
      return [];
    });
    const looked = (times: number): Promise<void> =>
      new Promise((resolve) => (onLook = () => (looks.length >= times ? resolve() : undefined)));
    watchdog.onApplicationBootstrap();
    watchdog.start();
    await looked(3);
    await watchdog.beforeApplicationShutdown();
    const stoppedAfter = looks.length;
    watchdog.start();
    await looked(stoppedAfter + 2);
    await watchdog.stop();
    await watchdog.stop();
  });
});

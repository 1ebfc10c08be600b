import type { CommandMessage } from '@florin/event-sourcing';
import { refuse } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import type { OperationsOptions } from './operations-options';
import { OperationsWatchdog } from './operations.watchdog';

const clock = manualClock('2030-01-01T00:01:00.000Z');

function watchdogOver(reply: (operationId: string) => Promise<unknown>, find = async () => ['a', 'b']) {
  const lines: string[] = [];
  const sent: string[] = [];
  const write = (_details: object, message: string): void => void lines.push(message);
  const options: OperationsOptions = {
    issuerTimeoutMs: 1,
    issuerConcurrency: 1,
    minimums: { issue: '1.00', topup: '1.00' },
    watchdog: { everyMs: 1, stalledAfterMs: 20_000 },
    log: { info: () => undefined, warn: write, error: write },
  };
  const request = <Reply>(message: CommandMessage): Promise<Reply> => {
    sent.push(`${message.context} ${message.key} ${message.command.type}`);
    return reply(message.key) as Promise<Reply>;
  };
  const reads: Date[] = [];
  const unchangedSince = (before: Date): Promise<string[]> => {
    reads.push(before);
    return find();
  };
  const bus = { request, send: async () => undefined };
  const watchdog = new OperationsWatchdog({ unchangedSince }, bus, clock, options);
  return { watchdog, lines, sent, reads };
}

const done = async (): Promise<unknown> => ({ ok: true, repeated: false, answer: null });

describe('OperationsWatchdog', () => {
  it('resumes every stalled operation', async () => {
    const { watchdog, lines, sent, reads } = watchdogOver(done);
    await watchdog.tick();
    expect(reads).toEqual([new Date('2030-01-01T00:00:40.000Z')]);
    expect(sent).toEqual(['operations a AdvanceOperation', 'operations b AdvanceOperation']);
    expect(lines).toEqual([]);
  });

  it('continues with the other operations when one fails or is refused, and logs it', async () => {
    const { watchdog, lines, sent } = watchdogOver((operationId) =>
      operationId === 'a'
        ? Promise.reject(new Error('no reply'))
        : Promise.resolve({ ok: false, refusal: refuse('reservation_released', 'It was released') }),
    );
    await watchdog.tick();
    expect(sent).toHaveLength(2);
    expect(lines.sort()).toEqual([
      'An operation cannot be resumed; investigate it',
      'Could not resume an operation; retrying',
    ]);
  });

  it('continues after a failed read of the read model', async () => {
    const { watchdog, lines } = watchdogOver(done, () => Promise.reject(new Error('no database')));
    await watchdog.tick();
    expect(lines).toEqual(['Could not read the stalled operations; retrying']);
  });

  it('reads repeatedly until it is stopped, and can be restarted', async () => {
    let onRead = (): void => undefined;
    const { watchdog, reads } = watchdogOver(done, async () => {
      onRead();
      return [];
    });
    const readTimes = (times: number): Promise<void> =>
      new Promise((resolve) => (onRead = () => (reads.length >= times ? resolve() : undefined)));
    watchdog.onApplicationBootstrap();
    watchdog.start();
    await readTimes(3);
    await watchdog.beforeApplicationShutdown();
    const stoppedAfter = reads.length;
    watchdog.start();
    await readTimes(stoppedAfter + 2);
    await watchdog.stop();
    await watchdog.stop();
  });
});

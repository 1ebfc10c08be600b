import { exponentialBackoff } from '@florin/event-sourcing';
import { createLog } from './log';
import { StartCancelled, unlessCancelled, untilAvailable, type Waiting } from './until-available';

const outage = new Error('connection refused');
const isOutage = (error: unknown): boolean => error === outage;

function waiting(): Waiting & { readonly reports: string[]; cancel(): void; readonly lines: () => number } {
  const reports: string[] = [];
  const controller = new AbortController();
  const log = createLog('silent');
  const warn = jest.spyOn(log, 'warn');
  return {
    ...{ log, reports, signal: controller.signal },
    onWaiting: (what) => void reports.push(what),
    cancel: () => controller.abort(),
    lines: () => warn.mock.calls.length,
  };
}

describe('a start that waits for a dependency', () => {
  it('retries during an outage, and reports what it waits for', async () => {
    const start = waiting();
    let attempts = 0;
    const work = async (): Promise<string> => {
      if (++attempts === 1) throw outage;
      return 'connected';
    };
    expect(await untilAvailable('the database', work, isOutage, start)).toBe('connected');
    expect(start.reports).toEqual(['the database', 'the database: connection refused']);
    expect(start.lines()).toBe(1);
  });

  it('logs a few lines during a long outage', async () => {
    const start = { ...waiting(), backoff: exponentialBackoff(0, 0) };
    let attempts = 0;
    const work = async (): Promise<void> => {
      if (++attempts < 1_000) throw outage;
    };
    await untilAvailable('the database', work, isOutage, start);
    expect(start.lines()).toBe(10);
  });

  it('fails at once because of a wrong configuration', async () => {
    const wrong = new Error('password authentication failed');
    await expect(untilAvailable('the database', () => Promise.reject(wrong), isOutage, waiting())).rejects.toBe(wrong);
  });

  it('can be cancelled', async () => {
    const start = waiting();
    const waited = untilAvailable('the database', () => Promise.reject(outage), isOutage, start);
    setTimeout(() => start.cancel(), 50);
    await expect(waited).rejects.toBeInstanceOf(StartCancelled);
  });

  it('can be cancelled while the dependency retries by itself', async () => {
    const start = waiting();
    const waited = unlessCancelled('the command bus', new Promise(() => undefined), start);
    start.cancel();
    await expect(waited).rejects.toBeInstanceOf(StartCancelled);
  });
});

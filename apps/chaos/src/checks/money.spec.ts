import { sampleLog, unloadLog } from '@florin/audit/testing';
import { auditCards } from './cards.check';
import { History, type StoredEvent } from './history';
import { auditMoney } from './money.check';

const findingsOf = (events: readonly StoredEvent[]): readonly string[] => auditMoney(History.of(events)).findings;

/** The sample with one event changed, removed or duplicated. */
function withEvent(at: string, change: (event: StoredEvent) => readonly StoredEvent[]): readonly StoredEvent[] {
  const events = sampleLog.flatMap((event) => (`${event.stream}@${event.revision}` === at ? change(event) : [event]));
  expect(events).not.toEqual(sampleLog);
  return events;
}

const set =
  (path: readonly string[], value: string) =>
  (event: StoredEvent): readonly StoredEvent[] => {
    const data = JSON.parse(event.data) as Record<string, unknown>;
    const holder = path.slice(0, -1).reduce((inner, name) => inner[name] as Record<string, unknown>, data);
    holder[path.at(-1)!] = value;
    return [{ ...event, data: JSON.stringify(data) }];
  };

const account = 'account-acme-sandbox';

describe('The audit of money', () => {
  it('accepts a consistent history', () => {
    const { ledger } = auditMoney(History.of(sampleLog));
    expect(findingsOf(sampleLog)).toEqual([]);
    expect(ledger.accounts.get(account)?.sums).toMatchObject({
      available: 79_680n,
      held: 5_000n,
      captured: 10_000n,
      fees: 5_320n,
    });
  });

  it('reports work that is still in progress', () => {
    const unqueued = sampleLog.filter(({ stream }) => stream !== 'operation-3');
    expect(findingsOf(unqueued)).toEqual([expect.stringMatching(/waits for its operation to be queued/)]);
  });

  it('finds a wrong balance', () => {
    const changed = withEvent(`${account}@1`, set(['after', 'available'], '896.81'));
    expect(findingsOf(changed)).toEqual([expect.stringMatching(/records 896.81 available/)]);
  });
});

describe('The audit of cards', () => {
  it('accepts a consistent history', () => {
    expect(auditCards(History.of(sampleLog))).toEqual([]);
  });

  it.each([
    [
      'a card that was issued twice for one operation',
      'card-c1@0',
      (event: StoredEvent) => [event, event],
      /on 2 cards/,
    ],
    ['a card that is missing', 'card-c1@0', () => [], /on 0 cards, not 1/],
    ['another amount', 'card-c1@0', set(['amount'], '99.99'), /got 99.99/],
  ])('finds %s', (_, at, change, expected) => {
    expect(auditCards(History.of(withEvent(at, change))).join('\n')).toMatch(expected);
  });
});

describe('The check of unloads', () => {
  it('accepts a completed, a failed and an unknown one', () => {
    expect(auditCards(History.of(unloadLog))).toEqual([]);
  });

  it('finds one that took nothing off the card, and one that took something although it failed', () => {
    const as = (at: string, type: string): readonly StoredEvent[] =>
      unloadLog.map((event) => (`${event.stream}@${event.revision}` === at ? { ...event, type } : event));
    expect(auditCards(History.of(as('card-c1@4', 'UnloadReleased')))).toContain(
      'operation u1 (unload, completed) is on 0 cards, not 1',
    );
    expect(auditCards(History.of(as('card-c1@5', 'CardUnloaded')))).toContain(
      'card-c1: lost 30.00 by u2, which is failed',
    );
  });
});

import { auditCards } from './cards.check';
import { History, type StoredEvent } from './history';
import { auditMoney } from './money.check';
import { sampleHistory } from './testing/sample-history';

const findingsOf = (events: readonly StoredEvent[]): readonly string[] =>
  [...auditMoney(History.of(events)).values()].flatMap(({ findings }) => findings);

/** The sample with one event changed, dropped (`undefined`) or put in twice. */
function withEvent(at: string, change: (event: StoredEvent) => readonly StoredEvent[]): readonly StoredEvent[] {
  const events = sampleHistory.flatMap((event) =>
    `${event.stream}@${event.revision}` === at ? change(event) : [event],
  );
  expect(events).not.toEqual(sampleHistory);
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
  it('finds nothing wrong with a sound history', () => {
    const accounts = auditMoney(History.of(sampleHistory));
    expect(findingsOf(sampleHistory)).toEqual([]);
    expect(accounts.get(account)).toMatchObject({ available: 79_680n, held: 5_000n, captured: 10_320n });
  });

  it.each([
    ['a balance that does not follow', `${account}@1`, set(['after', 'available'], '896.81'), /says 896.81 available/],
    ['money from nowhere', `${account}@0`, set(['amount'], '1000.01'), /but it is 950.01 available/],
    ['a deposit credited twice', `${account}@0`, (event: StoredEvent) => [event, event], /a second time/],
    ['a capture of another amount', `${account}@2`, set(['amount'], '103.19'), /was made for 103.20/],
    ['a hold captured for a failed operation', 'operation-1@1', set(['type'], 'none'), undefined],
    ['a hold that belongs to nobody', 'operation-3@0', () => [], /which is no operation/],
  ])('finds %s', (_, at, change, expected) => {
    const changed =
      expected === undefined
        ? withEvent(at, (event) => [{ ...event, type: 'OperationFailed' }])
        : withEvent(at, change as (event: StoredEvent) => readonly StoredEvent[]);
    expect(findingsOf(changed).join('\n')).toMatch(expected ?? /\(failed\) is captured/);
  });

  it('finds a completed operation whose hold was released, and one that nothing was held for', () => {
    const released = withEvent(`${account}@2`, (event) => [{ ...event, type: 'ReservationReleased' }]);
    expect(findingsOf(released).join('\n')).toMatch(/\(completed\) is released/);
    const unheld = withEvent(`${account}@5`, () => []);
    expect(findingsOf(unheld).join('\n')).toMatch(/nothing was ever held for 3/);
  });
});

describe('The audit of cards', () => {
  it('finds nothing wrong with a sound history', () => {
    expect(auditCards(History.of(sampleHistory))).toEqual([]);
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

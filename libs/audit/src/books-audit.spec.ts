import { BooksAudit, type BooksVerdict } from './books-audit';
import { type SampleEvent, sampleLog } from './testing';

function audit(events: readonly SampleEvent[], only?: string): BooksVerdict & { readonly books: BooksAudit } {
  const books = new BooksAudit(only);
  for (const event of events) books.add({ ...event, data: JSON.parse(event.data) as Record<string, unknown> });
  return { books, ...books.close() };
}

const linesOf = (remarks: BooksVerdict['flaws']): string => remarks.map(({ at, text }) => `${at}: ${text}`).join('\n');
const flawsOf = (events: readonly SampleEvent[]): string => linesOf(audit(events).flaws);

type Change = (event: SampleEvent) => readonly SampleEvent[];

/** The sample with one event changed, dropped or put in twice. */
function withEvent(at: string, change: Change): readonly SampleEvent[] {
  const events = sampleLog.flatMap((event) => (`${event.stream}@${event.revision}` === at ? change(event) : [event]));
  expect(events).not.toEqual(sampleLog);
  return events;
}

const without = (at: string): readonly SampleEvent[] => withEvent(at, () => []);

const as =
  (type: string): Change =>
  (event) => [{ ...event, type }];

const set =
  (path: readonly string[], value: string): Change =>
  (event) => {
    const data = JSON.parse(event.data) as Record<string, unknown>;
    const holder = path.slice(0, -1).reduce((inner, name) => inner[name] as Record<string, unknown>, data);
    holder[path.at(-1)!] = value;
    return [{ ...event, data: JSON.stringify(data) }];
  };

const twice: Change = (event) => [event, event];

const account = 'account-acme-sandbox';

const after = (available: string, held: string): object => ({ after: { available, held } });

/** One more event at the end of the account's stream. */
const andThen = (type: string, data: object, revision = 6): SampleEvent => ({
  ...{ stream: account, revision, type, data: JSON.stringify(data), metadata: '{}' },
});

describe('The audit of the books', () => {
  it('finds nothing wrong with a sound log, and adds it up', () => {
    const { books, flaws, underWay } = audit(sampleLog);
    expect({ flaws, underWay }).toEqual({ flaws: [], underWay: [] });
    expect(books.accounts.get(account)?.sums).toEqual({
      ...{ deposited: 100_000n, fees: 5_000n, captured: 10_320n, available: 79_680n, held: 5_000n },
    });
    expect([...books.operations.values()].map(({ status }) => status)).toEqual([
      'completed',
      'failed',
      'manual_review',
    ]);
  });

  it.each<[string, string, Change, RegExp]>([
    ['a balance that does not follow', `${account}@1`, set(['after', 'available'], '896.81'), /@1: .*says 896.81/],
    ['money from nowhere', `${account}@0`, set(['amount'], '1000.01'), /@0: .*but it is 950.01 available/],
    ['a deposit credited twice', `${account}@0`, twice, /a second time/],
    ['a hold made twice', `${account}@5`, twice, /@5: .*is made a second time/],
    ['a hold closed twice', `${account}@2`, twice, /@2: .*is captured, but it was captured before/],
    ['a hold closed that nobody made', `${account}@3`, () => [], /@4: .*is released, but it was never made/],
    ['a capture of another amount', `${account}@2`, set(['amount'], '103.19'), /@2: .*was made for 103.20/],
    ['an account below zero', `${account}@5`, set(['amount'], '900.00'), /@5: .*leaves less than nothing/],
    ['an event that nobody knows', `${account}@5`, as('FundsBurnt'), /@5: FundsBurnt cannot be booked/],
    ['an event without its amount', `${account}@2`, set(['amount'], 'much'), /cannot be booked: its "amount" is not/],
    ['a completed operation whose hold was released', `${account}@2`, as('ReservationReleased'), /is completed/],
    ['a failed operation whose hold was captured', 'operation-1@2', as('OperationFailed'), /captured, but .* failed/],
    ['an operation in review whose hold is gone', `${account}@5`, () => [], /nothing was ever held for operation 3/],
    ['an order of another total', 'operation-3@0', set(['order', 'total'], '50.01'), /should be 50.01/],
    ['an order of another account', 'operation-3@0', set(['order', 'accountId'], 'ida-live'), /account-ida-live is to/],
    ['an operation that ends twice', 'operation-2@2', twice, /@2: .*although the operation was failed before/],
  ])('finds %s', (_, at, change, expected) => {
    expect(flawsOf(withEvent(at, change))).toMatch(expected);
  });

  it('names the event where a balance goes wrong, and not all that follow it', () => {
    const { flaws } = audit(withEvent(`${account}@1`, set(['after', 'held'], '0.00')));
    expect(flaws.map(({ at }) => at)).toEqual([`${account}@1`]);
    const moved = audit(withEvent(`${account}@0`, set(['amount'], '1000.01')));
    expect(moved.flaws.map(({ at }) => at)).toEqual([`${account}@0`, `${account}@5`]);
  });

  it('finds what the end of a stream hides: holds that are not what is held', () => {
    const forged = andThen('FundsDeposited', {
      depositId: 'e',
      amount: '1.00',
      fee: '0.00',
      ...after('797.80', '40.00'),
    });
    expect(flawsOf([...sampleLog, forged])).toMatch(/its open holds are 50.00 together, but 40.00 held is written/);
  });
});

describe('What is under way', () => {
  const underWayOf = (events: readonly SampleEvent[]): string => {
    const { flaws, underWay } = audit(events);
    expect(flaws).toEqual([]);
    return linesOf(underWay);
  };

  it('is a hold whose operation is not queued yet', () => {
    const unqueued = sampleLog.filter(({ stream }) => stream !== 'operation-3');
    expect(underWayOf(unqueued)).toMatch(/the hold of 50.00 for 3 waits for its operation to be queued/);
  });

  it('is a hold closed as was decided, of which the operation has not been told', () => {
    expect(underWayOf(without('operation-1@2'))).toMatch(/is captured, and its operation \(processing\) is still/);
    expect(underWayOf(without('operation-2@2'))).toMatch(/is released, and its operation \(processing\) is still/);
  });

  it('is no hold that was closed before anything was decided, or the other way round', () => {
    const undecided = without('operation-1@1').filter(
      ({ stream, revision }) => `${stream}@${revision}` !== 'operation-1@2',
    );
    expect(flawsOf(undecided)).toMatch(/is captured, but its operation is queued/);
    const contrary = withEvent('operation-1@1', as('OperationDeclined'));
    expect(flawsOf(contrary.filter(({ type }) => type !== 'OperationCompleted'))).toMatch(
      /but its operation is processing/,
    );
  });

  it('is a hold made again after its end, as long as it is released and not captured', () => {
    const hold = { reservationId: '1', amount: '103.20' };
    const again = andThen('FundsReserved', { ...hold, ...after('693.60', '153.20') });
    expect(underWayOf([...sampleLog, again])).toMatch(/made again after its end; the second one is open/);
    const released = andThen('ReservationReleased', { ...hold, ...after('796.80', '50.00') }, 7);
    expect(underWayOf([...sampleLog, again, released])).toMatch(/the second one is released/);
    const captured = andThen('ReservationCaptured', { ...hold, ...after('693.60', '50.00') }, 7);
    expect(flawsOf([...sampleLog, again, captured])).toMatch(/@7: .*is captured although it was captured before/);
  });
});

describe('The audit of one account', () => {
  const other: SampleEvent = { ...sampleLog[0]!, stream: 'account-ida-live', data: '{}' };

  it('passes by all others, however wrong they are', () => {
    const { books, flaws } = audit([...sampleLog, other], account);
    expect(flaws).toEqual([]);
    expect([...books.accounts.keys()]).toEqual([account]);
    expect(books.operations.size).toBe(3);
    expect(audit([...sampleLog, other], 'account-ida-live')).toMatchObject({
      flaws: [{ at: 'account-ida-live@0' }],
    });
  });
});

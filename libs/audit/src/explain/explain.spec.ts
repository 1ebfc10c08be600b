import { InMemoryEventStore } from '@florin/event-sourcing/testing';
import { accountEventVersions } from '@florin/ledger-domain';
import { addressEventVersions, invoiceEventVersions } from '@florin/invoicing-domain';
import { cardEventVersions, operationEventVersions } from '@florin/operations-domain';
import { parseAsOf } from './as-of';
import { type AccountDays, BalanceReader, DaysDiffer } from './balance-reader';
import { explain } from './explain';
import { explainDay, foldByDay } from './explained-days';
import { type ExplanationIndex, ExplanationReader } from './explanation-reader';
import { type LoggedEvent, loggedEvent } from './logged-event';
import { accountSentences } from './account-sentences';
import { cardSentences } from './card-sentences';
import { addressSentences, invoiceSentences } from './funding-sentences';
import { operationSentences } from './operation-sentences';

const operator = { kind: 'operator', id: 'bootstrap' };
const ida = { name: 'Ida Holder', recipient: 'ida@example.com', metadata: { person: 'Ida Holder' } };

interface Fact {
  readonly stream: string;
  readonly type: string;
  readonly data: object;
  readonly at?: string;
}

const account = 'account-acme-sandbox';
const order = {
  ...{ operationId: 'op1', companyId: 'acme', environment: 'sandbox', accountId: 'acme-sandbox', type: 'issue' },
  ...{ productId: 'p', amount: '100.00', fee: '3.20', total: '103.20', holderId: 'h1', cardId: 'c1', ...ida },
  createdAt: '2030-01-01T10:00:00.000Z',
};
const reservation = {
  reservationId: 'op1',
  reference: 'op1',
  amount: '103.20',
  fee: '3.20',
  description: 'Card issue',
};
const after = (available: string, held: string) => ({ after: { available, held } });

/** An operation that an operator completed, a second operation, a payment and an adjustment. */
const facts: readonly Fact[] = [
  {
    ...{ stream: account, type: 'FundsDeposited' },
    data: { depositId: 'd', reference: 'd', amount: '500.00', fee: '7.50', ...after('492.50', '0.00') },
  },
  { stream: account, type: 'FundsReserved', data: { ...reservation, order, ...after('389.30', '103.20') } },
  { stream: 'operation-op1', type: 'OperationQueued', data: { operationId: 'op1', order } },
  { stream: 'operation-op1', type: 'OperationSentToReview', data: { operationId: 'op1', reason: 'Ida Holder' } },
  {
    ...{ stream: account, type: 'FundsReserved' },
    data: { ...reservation, reservationId: 'op2', reference: 'op2', ...after('286.10', '206.40') },
  },
  {
    ...{ stream: 'operation-op1', type: 'ReviewResolved' },
    data: { operationId: 'op1', outcome: 'completed', note: 'Ida Holder called', last4: '4242' },
  },
  {
    ...{ stream: 'card-c1', type: 'CardIssued', at: '2030-01-02T00:00:00.000Z' },
    data: { cardId: 'c1', accountId: 'acme-sandbox', operationId: 'op1', holderId: 'h1', amount: '100.00', ...ida },
  },
  {
    ...{ stream: account, type: 'ReservationCaptured', at: '2030-01-02T00:00:00.000Z' },
    data: { ...reservation, ...after('286.10', '103.20') },
  },
  {
    ...{ stream: 'operation-op1', type: 'OperationCompleted', at: '2030-01-02T00:00:00.001Z' },
    data: { operationId: 'op1', result: { cardId: 'c1' } },
  },
  {
    ...{ stream: 'card-c1', type: 'PaymentRecorded', at: '2030-01-03T00:00:00.000Z' },
    data: {
      ...{ cardId: 'c1', authorized: '30.00', cleared: '0.00', after: { balance: '100.00', available: '70.00' } },
      payment: { transactionId: 't1', type: 'purchase', status: 'pending', amount: '30.00', currency: 'USD' },
    },
  },
  {
    ...{ stream: account, type: 'AccountAdjusted', at: '2030-01-03T00:00:00.000Z' },
    data: {
      ...{ adjustmentId: 'a1', reference: 'a1', direction: 'debit', amount: '6.10', description: 'Ida Holder' },
      ...{ proposedBy: operator, confirmedBy: { kind: 'operator', id: 'eve' }, ...after('280.00', '103.20') },
    },
  },
  { stream: account, type: 'TimeTraveled', data: { ...after('0.00', '0.00') }, at: '2030-01-04T00:00:00.000Z' },
];

let store: InMemoryEventStore;
let events: readonly LoggedEvent[];

beforeAll(async () => {
  store = new InMemoryEventStore();
  const revisions = new Map<string, number>();
  for (const [index, { stream, type, data, at = '2030-01-01T10:00:00.000Z' }] of facts.entries()) {
    const revision = revisions.get(stream) ?? -1;
    revisions.set(stream, revision + 1);
    const version = type === 'FundsReserved' ? 3 : type === 'PaymentRecorded' ? 2 : 1;
    const metadata = { schemaVersion: version, recordedAt: at, correlationId: 'c', causationId: 'r', actor: operator };
    const id = `00e00000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const event = { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
    await store.append(stream, revision, [event]);
  }
  events = (await store.readAll({ after: 0n })).events.map(loggedEvent);
});

/** A read model that has nothing yet, so that everything is found in the log. */
const nothing: ExplanationIndex & AccountDays = {
  revisionsOf: async () => ({ revisions: [], indexedTo: -1 }),
  findEntry: async (id) => (id === 'e1' ? { accountId: 'acme-sandbox', revision: 3 } : undefined),
  accountOfInvoice: async () => undefined,
  daysOf: async () => [],
  newestRevision: async () => -1,
};

const reader = () => new ExplanationReader(store, nothing);
const balances = (days: AccountDays = nothing) => new BalanceReader(store, days);

describe('An explanation', () => {
  it('of an operation has its events on all streams in order, and what they did to which balance', async () => {
    const explanation = await reader().explain('operation', 'op1', {});
    const steps = explanation?.steps.map(({ text, effects }) => [
      text,
      ...effects.map(({ of, id, field, delta, after }) => `${of} ${id} ${field} ${delta} = ${after}`),
    ]);
    expect(steps).toEqual([
      [
        '103.20 was reserved for operation op1, including a fee of 3.20.',
        'account acme-sandbox available -103.20 = 389.30',
        'account acme-sandbox held 103.20 = 103.20',
      ],
      ['Operation op1 was accepted: issue card c1 with 100.00, plus a fee of 3.20.'],
      ['The outcome is unknown. The operation waits for the decision of an operator.'],
      ['An operator decided that the operation is completed.'],
      [
        'Card c1 was issued with 100.00 by operation op1.',
        'card c1 balance 100.00 = 100.00',
        'card c1 available 100.00 = 100.00',
      ],
      [
        'The reserved 103.20 of operation op1 was captured, including a fee of 3.20.',
        'account acme-sandbox held -103.20 = 103.20',
      ],
      ['The operation was completed.'],
    ]);
    expect(explanation?.amounts).toContainEqual({ of: 'card', id: 'c1', field: 'available', amount: '100.00' });
    expect(explanation?.steps[3]).toMatchObject({
      stream: 'operation-op1',
      revision: 2,
      position: '6',
      actor: operator,
    });
  });

  it('of a card has its amounts after every event', async () => {
    const { steps } = (await reader().explain('card', 'c1', {}))!;
    expect(steps.map(({ text }) => text)).toEqual([
      'Card c1 was issued with 100.00 by operation op1.',
      'Payment t1 (purchase of 30.00 USD) is authorized.',
    ]);
    expect(steps[1]!.effects).toEqual([{ of: 'card', id: 'c1', field: 'available', delta: '-30.00', after: '70.00' }]);
  });

  it('of an entry has what was behind it, and not what followed', async () => {
    const { steps, kind, id } = (await reader().explain('entry', 'e1', {}))!;
    expect({ kind, id }).toEqual({ kind: 'entry', id: 'e1' });
    expect(steps.map(({ type }) => type)).toEqual([
      ...['FundsReserved', 'OperationQueued', 'OperationSentToReview', 'ReviewResolved'],
      ...['CardIssued', 'ReservationCaptured'],
    ]);
    expect(await reader().explain('entry', 'e2', {})).toBeUndefined();
    expect((await reader().explain('entry', 'acme-sandbox@3', {}))?.steps).toEqual(steps);
  });

  it('ends at a time or a position', async () => {
    const typesAt = async (asOf: string) =>
      (await reader().explain('operation', 'op1', parseAsOf(asOf)!))?.steps.map(({ type }) => type).at(-1);
    expect(await typesAt('2030-01-01')).toBe('ReviewResolved');
    expect(await typesAt('2030-01-02T00:00:00Z')).toBe('ReservationCaptured');
    expect(await typesAt('2030-01-02T00:00:00.001Z')).toBe('OperationCompleted');
    expect(await typesAt('3')).toBe('OperationQueued');
    expect(await typesAt('2029-12-31')).toBeUndefined();
  });

  it('contains no text that a person entered', async () => {
    const explanations = [
      await reader().explain('operation', 'op1', {}),
      await reader().explain('card', 'c1', {}),
      explain('balance', 'acme-sandbox', events),
    ];
    expect(JSON.stringify(explanations)).not.toMatch(/ida/i);
  });

  it('names event types of newer releases instead of failing', () => {
    const { steps } = explain('balance', 'acme-sandbox', events);
    expect(steps.at(-2)?.text).toBe('Two operators debited 6.10 (adjustment a1).');
    expect(steps.at(-1)?.text).toBe('A newer release recorded TimeTraveled, which this release cannot explain.');
  });

  it('has a sentence for every event type of the explained streams', () => {
    const versions = { ...accountEventVersions, ...operationEventVersions, ...cardEventVersions };
    const sentences = { ...accountSentences, ...operationSentences, ...cardSentences };
    expect(Object.keys(sentences).sort()).toEqual(Object.keys(versions).sort());
    expect(Object.keys({ ...invoiceSentences, ...addressSentences }).sort()).toEqual(
      Object.keys({ ...invoiceEventVersions, ...addressEventVersions }).sort(),
    );
  });
});

describe('The explanation of a balance', () => {
  const shown = async (asOf: string, days?: AccountDays) =>
    (await balances(days).byDay('acme-sandbox', parseAsOf(asOf)!)).map(explainDay).map((day) => {
      return [day.date, day.revision, day.available, day.held, day.text];
    });
  const first = [
    ...['2030-01-01', 2, '286.10', '206.40'],
    '1 deposit (500.00 available), 1 fee (-7.50 available), 2 reservations (-206.40 available, 206.40 held).',
  ];
  const second = ['2030-01-02', 3, '286.10', '103.20', '1 capture (-100.00 held), 1 fee (-3.20 held).'];
  const third = ['2030-01-03', 4, '280.00', '103.20', '1 adjustment (-6.10 available).'];

  it('folds its events by day, up to a time or a position', async () => {
    expect(await shown('2030-01-03')).toEqual([first, second, third]);
    expect(await shown('2030-01-02')).toEqual([first, second]);
    expect(await shown('5')).toEqual([first]);
    expect(await shown('11')).toEqual([first, second, third]);
    expect(await shown('2029-01-01')).toEqual([]);
  });

  /** A read model that has the account up to a revision. */
  const knownUpTo = (newest: number): AccountDays => ({
    newestRevision: async () => newest,
    daysOf: async (_, { before, revision = newest }) =>
      foldByDay(
        [],
        events.filter(({ stream, revision: each, recordedAt }) => {
          return stream === account && each <= revision && (before === undefined || Date.parse(recordedAt) < +before);
        }),
      ),
  });

  it.each([0, 2, 3, 4])('uses the read model up to revision %s, and adds the events that follow', async (newest) => {
    const days = knownUpTo(newest);
    expect(await shown('2030-01-03', days)).toEqual([first, second, third]);
    for (const position of facts.keys()) {
      expect(await shown(String(position + 1), days)).toEqual(await shown(String(position + 1)));
    }
  });

  it('reads few events to find a position', async () => {
    const long = new InMemoryEventStore();
    const metadata = JSON.stringify({ schemaVersion: 1, recordedAt: '2030-01-01T10:00:00.000Z' });
    const data = JSON.stringify({
      depositId: 'd',
      reference: 'd',
      amount: '1.00',
      fee: '0.00',
      ...after('1.00', '0.00'),
    });
    const deposit = (_: unknown, id: number) => ({ id: String(id), type: 'FundsDeposited', data, metadata });
    await long.append(account, -1, Array.from({ length: 1_000 }, deposit));
    let reads = 0;
    const counted = {
      readStream: (stream: string, revision?: number) => ((reads += 1), long.readStream(stream, revision)),
    };
    const asked: unknown[] = [];
    const days: AccountDays = {
      newestRevision: async () => 999,
      daysOf: async (_, bound) => {
        asked.push(bound);
        return [{ date: '2030-01-01', revision: bound.revision!, available: 100n, held: 0n, entries: [] }];
      },
    };
    await new BalanceReader(counted, days).byDay('acme-sandbox', { position: 777n });
    expect(asked).toEqual([{ revision: 776 }]);
    expect(reads).toBeLessThan(10);
  });

  it('is refused if the read model differs from the log', async () => {
    const known = await knownUpTo(2).daysOf('acme-sandbox', {});
    const changed = { ...knownUpTo(2), daysOf: async () => [{ ...known[0]!, available: 99_999_900n }] };
    await expect(shown('2030-01-03', changed)).rejects.toThrow(DaysDiffer);
    await expect(shown('5', { ...nothing, newestRevision: async () => 99 })).rejects.toThrow(DaysDiffer);
  });

  it('has single events, in pages', async () => {
    const steps = await balances().steps('acme-sandbox', parseAsOf('2030-01-03')!, 1, 2);
    expect(steps.map(({ revision, type }) => [revision, type])).toEqual([
      [2, 'FundsReserved'],
      [3, 'ReservationCaptured'],
    ]);
    expect(steps[1]!.effects).toEqual([
      { of: 'account', id: 'acme-sandbox', field: 'held', delta: '-103.20', after: '103.20' },
    ]);
  });
});

describe('parseAsOf', () => {
  it.each(['', '0', '-1', 'yesterday', '2030-02-30', '2030-13-01', '2030-01-01T25:00:00Z', '2030-01-01T10:00:00'])(
    'rejects "%s"',
    (text) => {
      expect(parseAsOf(text)).toBeUndefined();
    },
  );
});

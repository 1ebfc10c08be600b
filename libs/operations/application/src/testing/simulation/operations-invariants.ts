import { flawsIn } from '@florin/audit/testing';
import { brokenHashChains, duplicatesIn } from '@florin/event-sourcing/testing';
import { formatMoney, type Money, type MoneyText, parseMoney } from '@florin/kernel';
import { clearedBy, type Order, type OperationState, type UnloadReserved } from '@florin/operations-domain';
import type { OperationsLog } from './operations-log';
import type { OperationsSimulation } from './operations-simulation';
import { seedBalance } from './sample-companies';

/** The invariants of every idle simulation, for any requests and crashes. */
export async function violationsIn(simulation: OperationsSimulation): Promise<readonly string[]> {
  const log = await simulation.log();
  return [
    ...simulation.stopped(),
    ...secondCalls(simulation, log),
    ...unfinished(log),
    ...lostMoney(log),
    ...secondEffects(log),
    ...exceededQuotas(log, simulation.options.maxIssuesPerMonth ?? 500),
    ...wrongCards(log),
    ...unreportedPayments(log),
    ...brokenHashChains(log.streams),
    ...auditFlaws(log),
  ];
}

/** The first cards of a simulation are issued without an operation. */
function auditFlaws(log: OperationsLog): string[] {
  return flawsIn(log.recorded).filter((flaw) => !flaw.includes(' operation seed'));
}

export async function expectInvariants(simulation: OperationsSimulation): Promise<OperationsLog> {
  expect(await violationsIn(simulation)).toEqual([]);
  return simulation.log();
}

function secondCalls({ journal }: OperationsSimulation, log: OperationsLog): string[] {
  const called = journal.calls.map(({ operationId }) => operationId);
  const allowed = log.operations.events.flatMap(({ type, data }) => {
    return type === 'IssuerCallStarted' ? [data.operationId] : [];
  });
  const uncovered = called.filter((operationId) => !allowed.includes(operationId));
  return [
    ...duplicatesIn(called).map((id) => `the issuer was called again for ${id}`),
    ...duplicatesIn(allowed).map((id) => `a second call was allowed for ${id}`),
    ...uncovered.map((id) => `the issuer was called for ${id} without a stored intent`),
  ];
}

function unfinished(log: OperationsLog): string[] {
  const stalled = [...log.operations.states].filter(([, { phase }]) => !isAtRest(phase));
  const reserved = [
    ...log.accounts.events.flatMap(({ type, data }) => (type === 'FundsReserved' ? [data.reservationId] : [])),
    ...log.cards.events.flatMap(({ type, data }) => (type === 'UnloadReserved' ? [data.operationId] : [])),
  ];
  const orphans = reserved.filter((reservationId) => !log.operations.states.has(reservationId));
  const unpaid = [...log.operations.states.keys()].filter((operationId) => !reserved.includes(operationId));
  return [
    ...stalled.map(([id, { phase }]) => `operation ${id} stays ${phase}`),
    ...orphans.map((id) => `funds are reserved for ${id}, which was never queued`),
    ...unpaid.map((id) => `no funds were reserved for ${id}`),
  ];
}

function isAtRest(phase: OperationState['phase']): boolean {
  return phase === 'completed' || phase === 'failed' || phase === 'review';
}

function lostMoney(log: OperationsLog): string[] {
  return [...log.accounts.states].flatMap(([accountId, { available, held }]) => {
    const events = log.accounts.eventsOf(accountId);
    const deposited = sum(events.flatMap(({ type, data }) => (type === 'FundsDeposited' ? [data.amount] : [])));
    const captured = sum(events.flatMap(({ type, data }) => (type === 'ReservationCaptured' ? [data.amount] : [])));
    const refunded = sum(events.flatMap(({ type, data }) => (type === 'FundsRefunded' ? [data.amount] : [])));
    const ordered = (phase: OperationState['phase'], isUnload: boolean): Money =>
      sum(
        ordersOf(log, accountId, phase).flatMap(({ type, total }) => ((type === 'unload') === isUnload ? [total] : [])),
      );
    return [
      ...differs(`${accountId}: available and held`, available + held, deposited - captured + refunded),
      ...differs(`${accountId}: captured`, captured, ordered('completed', false)),
      ...differs(`${accountId}: refunded`, refunded, ordered('completed', true)),
      ...differs(`${accountId}: held`, held, ordered('review', false)),
      ...differs(
        `${accountId}: all money`,
        available + held + outsideOf(log, accountId),
        deposited + seeded(log, accountId),
      ),
    ];
  });
}

/** The money that has left the account: on its cards, spent with them, and paid for services and fees. */
function outsideOf(log: OperationsLog, accountId: string): Money {
  const cards = cardsOf(log, accountId);
  const spent = cards.flatMap(({ payments }) => [...payments.values()].map(clearedBy));
  const completed = ordersOf(log, accountId, 'completed');
  const paid = completed.map(
    ({ type, amount, fee }) => parseMoney(fee) + (type === 'service' ? parseMoney(amount) : 0n),
  );
  return [...cards.map(({ balance }) => balance), ...paid, ...spent].reduce((total, amount) => total + amount, 0n);
}

function seeded(log: OperationsLog, accountId: string): Money {
  const seeds = cardsOf(log, accountId).filter(({ issued }) => issued.operationId === 'seed');
  return sum(seeds.map(() => seedBalance));
}

function cardsOf(log: OperationsLog, accountId: string) {
  return [...log.cards.states.values()].flatMap((card) => (card?.issued.accountId === accountId ? [card] : []));
}

/** At most one reservation, card, top-up, unload, refund and payment per id. */
function secondEffects(log: OperationsLog): string[] {
  const reservations = log.accounts.events.flatMap(({ type, data }) => {
    if (type === 'FundsRefunded') return [`refund ${data.refundId}`];
    return type === 'FundsReserved' ? [`reservation ${data.reservationId}`] : [];
  });
  const onCards = log.cards.events.flatMap(({ type, data }) => {
    if (type === 'CardIssued') return [`card ${data.cardId}`];
    if (type === 'CardToppedUp') return [`top-up ${data.operationId}`];
    if (type === 'UnloadReserved') return [`reserved unload ${data.operationId}`, `unload number ${numberOf(data)}`];
    if (type === 'CardUnloaded') return [`unload ${data.operationId}`];
    return type === 'PaymentRecorded' ? [`payment ${data.payment.transactionId}`] : [];
  });
  return duplicatesIn([...reservations, ...onCards]).map((effect) => `a second ${effect}`);
}

/** At no point of the log is a quota exceeded. */
function exceededQuotas(log: OperationsLog, limit: number): string[] {
  const flaws: string[] = [];
  for (const accountId of log.accounts.states.keys()) {
    const taken = new Map<string, number>();
    for (const { type, data } of log.accounts.eventsOf(accountId)) {
      if (!('quota' in data) || data.quota === undefined) continue;
      const change = type === 'FundsReserved' ? 1 : type === 'ReservationReleased' ? -1 : 0;
      const count = (taken.get(data.quota.name) ?? 0) + change;
      taken.set(data.quota.name, count);
      if (count > limit) flaws.push(`${accountId} has ${count} of ${limit} ${data.quota.name}`);
    }
  }
  return flaws;
}

function numberOf({ cardId, order }: UnloadReserved['data']): string {
  return `${order.unloadNumber} of card ${cardId}`;
}

/**
 * The balance of a card is the sum of its completed issues and top-ups less its completed unloads and payments. Only unloads in
 * review are reserved on it, and only top-ups in review keep it from being closed.
 */
function wrongCards(log: OperationsLog): string[] {
  const completed = ordersIn(log, 'completed').filter(({ type }) => type !== 'service');
  const missing = completed.filter(({ cardId }) => !log.cards.states.has(cardId!));
  const balances = [...log.cards.states].flatMap(([cardId, card]) => {
    const orders = completed.filter((order) => order.cardId === cardId);
    const seed = card!.issued.operationId === 'seed' ? seedBalance : '0.00';
    const paid = [...card!.payments.values()].reduce((total, payment) => total + clearedBy(payment), 0n);
    const [unloaded, loaded] = [true, false].map((isUnload) =>
      sum(orders.flatMap(({ type, amount }) => ((type === 'unload') === isUnload ? [amount] : []))),
    );
    const expected = sum([seed]) + loaded! - unloaded! - paid;
    const inReview = ordersIn(log, 'review').filter((order) => order.cardId === cardId);
    const reserved = sum(inReview.flatMap(({ type, amount }) => (type === 'unload' ? [amount] : [])));
    const started = inReview.flatMap(({ type, operationId }) => (type === 'topup' ? [operationId] : []));
    return [
      ...differs(`card ${cardId}`, card!.balance, expected),
      ...differs(`card ${cardId}: reserved`, card!.held, reserved),
      ...differs(`card ${cardId}: started top-ups`, BigInt(card!.topups.started.size), BigInt(started.length)),
      ...(card!.status === 'closed' && card!.balance !== 0n ? [`card ${cardId} is closed with money on it`] : []),
    ];
  });
  return [...missing.map(({ cardId }) => `card ${cardId} is missing`), ...balances];
}

function unreportedPayments(log: OperationsLog): string[] {
  const reported = log.cards.events.flatMap(({ type, data }) => {
    return type === 'PaymentRecorded' ? [data.payment.transactionId] : [];
  });
  const claimed = [...log.streams.keys()].flatMap((stream) => {
    return stream.startsWith('transaction-') ? [stream.slice('transaction-'.length)] : [];
  });
  return claimed.filter((id) => !reported.includes(id)).map((id) => `transaction ${id} was not reported to its card`);
}

function ordersIn(log: OperationsLog, phase: OperationState['phase']): readonly Order[] {
  return [...log.operations.states.values()].flatMap((state) => (state.phase === phase ? [state.order!] : []));
}

function ordersOf(log: OperationsLog, accountId: string, phase: OperationState['phase']): readonly Order[] {
  return ordersIn(log, phase).filter((order) => order.accountId === accountId);
}

function differs(what: string, actual: Money, expected: Money): string[] {
  return actual === expected ? [] : [`${what}: ${formatMoney(actual)} instead of ${formatMoney(expected)}`];
}

function sum(amounts: readonly MoneyText[]): Money {
  return amounts.reduce((total, amount) => total + parseMoney(amount), 0n);
}

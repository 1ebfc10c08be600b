import { flawsIn } from '@florin/audit/testing';
import { brokenHashChains, duplicatesIn } from '@florin/event-sourcing/testing';
import { formatMoney, type Money, type MoneyText, parseMoney } from '@florin/kernel';
import type { Order, OperationState } from '@florin/operations-domain';
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
  const reserved = log.accounts.events.flatMap(({ type, data }) =>
    type === 'FundsReserved' ? [data.reservationId] : [],
  );
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
    return [
      ...differs(`${accountId}: available and held`, available + held, deposited - captured),
      ...differs(`${accountId}: captured`, captured, totalOf(log, accountId, 'completed')),
      ...differs(`${accountId}: held`, held, totalOf(log, accountId, 'review')),
    ];
  });
}

/** At most one reservation, card, top-up and payment per id. */
function secondEffects(log: OperationsLog): string[] {
  const reservations = log.accounts.events.flatMap(({ type, data }) => {
    return type === 'FundsReserved' ? [`reservation ${data.reservationId}`] : [];
  });
  const onCards = log.cards.events.flatMap(({ type, data }) => {
    if (type === 'CardIssued') return [`card ${data.cardId}`];
    if (type === 'CardToppedUp') return [`top-up ${data.operationId}`];
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

/** The balance of a card is the sum of its completed operations less its payments. */
function wrongCards(log: OperationsLog): string[] {
  const completed = ordersIn(log, 'completed').filter(({ type }) => type !== 'service');
  const missing = completed.filter(({ cardId }) => !log.cards.states.has(cardId!));
  const balances = [...log.cards.states].flatMap(([cardId, card]) => {
    const orders = completed.filter((order) => order.cardId === cardId);
    const seed = card!.issued.operationId === 'seed' ? seedBalance : '0.00';
    const paid = [...card!.payments.values()].filter(({ status }) => status === 'completed');
    const expected = sum([seed, ...orders.map(({ amount }) => amount)]) - sum(paid.map(({ amount }) => amount));
    return differs(`card ${cardId}`, card!.balance, expected);
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

function totalOf(log: OperationsLog, accountId: string, phase: OperationState['phase']): Money {
  return sum(ordersIn(log, phase).flatMap((order) => (order.accountId === accountId ? [order.total] : [])));
}

function differs(what: string, actual: Money, expected: Money): string[] {
  return actual === expected ? [] : [`${what}: ${formatMoney(actual)} instead of ${formatMoney(expected)}`];
}

function sum(amounts: readonly MoneyText[]): Money {
  return amounts.reduce((total, amount) => total + parseMoney(amount), 0n);
}

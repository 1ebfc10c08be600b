import { findBrokenLink } from '@florin/event-sourcing';
import { formatMoney, type Money, type MoneyText, parseMoney } from '@florin/kernel';
import type { Order, OperationState } from '@florin/operations-domain';
import type { FlowLog } from './flow-log';
import type { FlowWorld } from './flow-world';
import { seedBalance } from './sample-companies';

/** What must hold of every flow that has come to rest, whatever was asked for and whoever crashed on the way. */
export async function expectSound(world: FlowWorld): Promise<FlowLog> {
  const log = await world.log();
  const flaws = [
    ...world.statuses().filter((status) => status.includes('stopped')),
    ...secondCalls(world, log),
    ...unfinished(log),
    ...lostMoney(log),
    ...secondEffects(log),
    ...exceededQuotas(log, world.options.issuesPerMonth ?? 500),
    ...wrongCards(log),
    ...untoldPayments(log),
    ...brokenChains(log),
  ];
  expect(flaws).toEqual([]);
  return log;
}

function secondCalls(world: FlowWorld, log: FlowLog): string[] {
  const called = world.journal.calls.map(({ operationId }) => operationId);
  const allowed = log.operations.events.flatMap(({ type, data }) => {
    return type === 'IssuerCallStarted' ? [data.operationId] : [];
  });
  const uncovered = called.filter((operationId) => !allowed.includes(operationId));
  return [
    ...repeated(called).map((id) => `the issuer was called again for ${id}`),
    ...repeated(allowed).map((id) => `a second call was allowed for ${id}`),
    ...uncovered.map((id) => `the issuer was called for ${id} without a stored intent`),
  ];
}

function unfinished(log: FlowLog): string[] {
  const standing = [...log.operations.states].filter(([, { phase }]) => !isAtRest(phase));
  const held = log.accounts.events.flatMap(({ type, data }) => (type === 'FundsReserved' ? [data.reservationId] : []));
  const orphans = held.filter((reservationId) => !log.operations.states.has(reservationId));
  const unpaid = [...log.operations.states.keys()].filter((operationId) => !held.includes(operationId));
  return [
    ...standing.map(([id, { phase }]) => `operation ${id} is ${phase} for ever`),
    ...orphans.map((id) => `funds are held for ${id}, which was never queued`),
    ...unpaid.map((id) => `nothing was ever held for ${id}`),
  ];
}

function isAtRest(phase: OperationState['phase']): boolean {
  return phase === 'completed' || phase === 'failed' || phase === 'review';
}

function lostMoney(log: FlowLog): string[] {
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

/** One hold, one card, one top-up and one payment under each id at most. */
function secondEffects(log: FlowLog): string[] {
  const holds = log.accounts.events.flatMap(({ type, data }) => {
    return type === 'FundsReserved' ? [`hold ${data.reservationId}`] : [];
  });
  const onCards = log.cards.events.flatMap(({ type, data }) => {
    if (type === 'CardIssued') return [`card ${data.cardId}`];
    if (type === 'CardToppedUp') return [`top-up ${data.operationId}`];
    return type === 'PaymentRecorded' ? [`payment ${data.payment.transactionId}`] : [];
  });
  return repeated([...holds, ...onCards]).map((effect) => `a second ${effect}`);
}

/** At no point of the log are more slots taken than there are. */
function exceededQuotas(log: FlowLog, limit: number): string[] {
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

/** Cards hold what completed operations put on them, less what was paid. */
function wrongCards(log: FlowLog): string[] {
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

function untoldPayments(log: FlowLog): string[] {
  const told = log.cards.events.flatMap(({ type, data }) => {
    return type === 'PaymentRecorded' ? [data.payment.transactionId] : [];
  });
  const claimed = [...log.streams.keys()].flatMap((stream) => {
    return stream.startsWith('transaction-') ? [stream.slice('transaction-'.length)] : [];
  });
  return claimed.filter((id) => !told.includes(id)).map((id) => `no card has heard of transaction ${id}`);
}

function brokenChains(log: FlowLog): string[] {
  return [...log.streams].flatMap(([stream, events]) => {
    const broken = findBrokenLink(events);
    return broken === undefined ? [] : [`the chain of ${stream} breaks at ${broken.revision}`];
  });
}

function ordersIn(log: FlowLog, phase: OperationState['phase']): readonly Order[] {
  return [...log.operations.states.values()].flatMap((state) => (state.phase === phase ? [state.order!] : []));
}

function totalOf(log: FlowLog, accountId: string, phase: OperationState['phase']): Money {
  return sum(ordersIn(log, phase).flatMap((order) => (order.accountId === accountId ? [order.total] : [])));
}

function differs(what: string, actual: Money, expected: Money): string[] {
  return actual === expected ? [] : [`${what}: ${formatMoney(actual)} instead of ${formatMoney(expected)}`];
}

function repeated(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}

function sum(amounts: readonly MoneyText[]): Money {
  return amounts.reduce((total, amount) => total + parseMoney(amount), 0n);
}

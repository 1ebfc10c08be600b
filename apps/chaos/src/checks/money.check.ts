import type { Check, Evidence } from './check';
import { cents, dollars, type History, type PastEvent, text } from './history';
import { type OperationFate, operationFates } from './operation-fates';

interface Reservation {
  readonly amount: bigint;
  end?: 'captured' | 'released';
}

export interface AuditedAccount {
  available: bigint;
  held: bigint;
  deposited: bigint;
  captured: bigint;
  readonly deposits: Set<string>;
  readonly reservations: Map<string, Reservation>;
  readonly findings: string[];
}

/** Adds up one account's stream from its first event on, in integers, and compares each step with what was written. */
export function auditAccount(stream: string, events: readonly PastEvent[]): AuditedAccount {
  const account: AuditedAccount = {
    ...{ available: 0n, held: 0n, deposited: 0n, captured: 0n },
    ...{ deposits: new Set(), reservations: new Map(), findings: [] },
  };
  for (const event of events) {
    const problem = book(account, event);
    const place = `${stream}@${event.revision} (${event.type})`;
    if (problem !== undefined) account.findings.push(`${place}: ${problem}`);
    const { available, held } = event.data['after'] as { available: string; held: string };
    if (cents(available) !== account.available || cents(held) !== account.held) {
      const ours = `${dollars(account.available)} available and ${dollars(account.held)} held`;
      account.findings.push(`${place}: says ${available} available and ${held} held, but it is ${ours}`);
    }
    if (account.available < 0n || account.held < 0n) account.findings.push(`${place}: leaves less than nothing`);
  }
  const { deposited, captured, available, held } = account;
  if (deposited - captured !== available + held) {
    const sums = `${dollars(deposited)} deposited, ${dollars(captured)} captured`;
    account.findings.push(`${stream}: ${sums}, but ${dollars(available + held)} is left`);
  }
  return account;
}

function book(account: AuditedAccount, event: PastEvent): string | undefined {
  const amount = cents(event.data['amount']);
  if (event.type === 'FundsDeposited') return deposit(account, event, amount);
  const id = text(event, 'reservationId');
  const known = account.reservations.get(id);
  if (event.type === 'FundsReserved') {
    account.available -= amount;
    account.held += amount;
    account.reservations.set(id, { amount });
    return known === undefined ? undefined : `reservation ${id} is made a second time`;
  }
  account.held -= amount;
  if (event.type === 'ReservationCaptured') account.captured += amount;
  else if (event.type === 'ReservationReleased') account.available += amount;
  else return 'nobody knows what this event does to the money';
  if (known === undefined) return `reservation ${id} ends without a beginning`;
  if (known.end !== undefined) return `reservation ${id} was ${known.end} before`;
  known.end = event.type === 'ReservationCaptured' ? 'captured' : 'released';
  return known.amount === amount ? undefined : `reservation ${id} was made for ${dollars(known.amount)}`;
}

function deposit(account: AuditedAccount, event: PastEvent, amount: bigint): string | undefined {
  const id = text(event, 'depositId');
  const credit = amount - cents(event.data['fee']);
  account.available += credit;
  account.deposited += credit;
  if (account.deposits.has(id)) return `deposit ${id} is credited a second time`;
  account.deposits.add(id);
  return undefined;
}

/** A hold stands for an operation that has not ended, is captured for a completed one, and released for a failed one. */
export function holdsMatchOperations(
  account: AuditedAccount,
  stream: string,
  fates: ReadonlyMap<string, OperationFate>,
): string[] {
  const wanted = {
    completed: 'captured',
    failed: 'released',
    manual_review: 'open',
    processing: 'open',
    queued: 'open',
  };
  const findings = [...account.reservations].flatMap(([id, { amount, end = 'open' }]) => {
    const fate = fates.get(id);
    if (fate === undefined) return [`${stream}: ${dollars(amount)} is held for ${id}, which is no operation`];
    const isRight = fate.account === stream && fate.total === amount && wanted[fate.status] === end;
    return isRight ? [] : [`${stream}: the hold of ${dollars(amount)} for ${id} (${fate.status}) is ${end}`];
  });
  const own = [...fates.values()].filter((fate) => fate.account === stream);
  const unpaid = own.filter(({ id }) => !account.reservations.has(id));
  return [...findings, ...unpaid.map(({ id, status }) => `${stream}: nothing was ever held for ${id} (${status})`)];
}

export function auditMoney(history: History): ReadonlyMap<string, AuditedAccount> {
  const fates = operationFates(history);
  return new Map(
    history.category('account').map(([stream, events]) => {
      const account = auditAccount(stream, events);
      account.findings.push(...holdsMatchOperations(account, stream, fates));
      return [stream, account];
    }),
  );
}

export const moneyCheck: Check = {
  name: 'money is conserved on every account',
  run: async (evidence) => {
    const audited = auditMoney(evidence.history);
    const findings = [...audited.values()].flatMap((account) => account.findings);
    for (const account of evidence.accounts) {
      const { body } = await evidence.api.send({ method: 'GET', path: '/api/v1/balance', token: account.key });
      const own = audited.get(account.stream);
      const expected = [dollars(own?.available ?? 0n), dollars(own?.held ?? 0n)];
      if (body['available'] === expected[0] && body['held'] === expected[1]) continue;
      findings.push(`${account.name}: the API says ${JSON.stringify(body)}, but it is ${expected.join(' and ')} held`);
    }
    return { examined: `${audited.size} accounts, ${heldIn(audited, evidence)}`, findings };
  },
};

function heldIn(audited: ReadonlyMap<string, AuditedAccount>, { history }: Evidence): string {
  const sums = [...audited.values()].reduce((sum, { captured }) => sum + captured, 0n);
  return `${history.category('operation').length} operations, ${dollars(sums)} captured`;
}

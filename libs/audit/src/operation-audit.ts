import { formatMoney, type Money } from '@florin/kernel';
import type { ReservationChange } from './account-audit';
import type { Decision, OperationStatus } from './operation-status';

/**
 * An operation and its reservation, which have the same ID. Memory holds one per operation, so it has only the fields
 * that are compared, and shares the names of the accounts.
 */
export interface OperationAudit {
  /** The order is known, from the reservation or from the operation's own stream. The operation is listed from then on. */
  isOrdered: boolean;
  /** The stream of the account with the reservation; undefined until the funds are reserved. */
  account: string | undefined;
  amount: Money;
  /** The fee in the reservation; undefined if its event has none. */
  fee: Money | undefined;
  reservation: 'none' | 'open' | 'captured' | 'released';
  /** A second reservation, made after the first one had ended. */
  orphan: 'none' | 'open' | 'released';
  /** The stream of the account named in the order; undefined until the operation is queued. */
  payer: string | undefined;
  total: Money;
  /** From the order: `issue`, `topup`, `service` or `unload`; undefined until the operation is queued. */
  type: string | undefined;
  /** The card that gets or returns `cardAmount`, which is the total without the fee; undefined for a service. */
  cardId: string | undefined;
  cardAmount: Money;
  status: OperationStatus;
  decision: Decision | undefined;
  /** Revision of the operation's newest event; -1 while there is none. */
  revision: number;
}

/** Lists every field: objects that begin with a spread do not share their hidden class, which costs memory here. */
export function newOperation(): OperationAudit {
  return {
    isOrdered: false,
    account: undefined,
    amount: 0n,
    fee: undefined,
    reservation: 'none',
    orphan: 'none',
    payer: undefined,
    total: 0n,
    type: undefined,
    cardId: undefined,
    cardAmount: 0n,
    status: 'queued',
    decision: undefined,
    revision: -1,
  };
}

/** The newest event of the operation's stream or, before its first event, the account with its reservation. */
export function operationLocation(id: string, { account, payer, revision }: OperationAudit): string {
  return payer === undefined && account !== undefined ? account : `operation-${id}@${revision}`;
}

const verbs = { reserved: 'reserves', captured: 'captures', released: 'releases' } as const;

/** Applies a change of the reservation and reports its flaws. */
export function changeReservation(
  operation: OperationAudit,
  account: string,
  { id, amount, fee, change, hasOrder }: ReservationChange,
  flaw: (text: string) => void,
): void {
  if (hasOrder) operation.isOrdered = true;
  const { reservation } = operation;
  if (change === 'reserved') {
    if (reservation === 'none') Object.assign(operation, { account, amount, fee, reservation: 'open' });
    else if (operation.account !== account) {
      flaw(`reserves funds for ${id}, which already has a reservation in ${String(operation.account)}`);
    } else if (reservation !== 'open') operation.orphan = 'open';
  } else if (operation.orphan === 'open') {
    operation.orphan = 'released';
    if (change === 'captured') flaw(`captures a second reservation for ${id}; the first one was ${reservation}`);
  } else if (reservation === 'open') {
    operation.reservation = change;
  } else {
    const before = reservation === 'none' ? 'was never made' : `was already ${reservation}`;
    flaw(`${verbs[change]} the reservation for ${id}, which ${before}`);
  }
}

/** Compares an operation with its reservation after the last event. Reports nothing if they agree. */
export function compareWithReservation(
  id: string,
  operation: OperationAudit,
  report: { readonly flaw: (text: string) => void; readonly inProgress: (text: string) => void },
): void {
  const { account, payer, amount, fee, total, cardAmount, reservation, status, orphan } = operation;
  const subject = `the reservation of ${formatMoney(amount)} for ${id}`;
  if (payer === undefined) {
    if (reservation === 'open') return report.inProgress(`${subject} waits for its operation to be queued`);
    return report.flaw(`${subject} is ${reservation}, but the operation does not exist`);
  }
  if (reservation === 'none') return report.flaw(`no funds were reserved for operation ${id} (${status})`);
  const isUndone = operation.type === 'unload' && account === payer && orphan === 'none';
  if (isUndone && reservation !== 'captured') return report.inProgress(`${subject} ${undone(reservation)}`);
  if (account !== payer) report.flaw(`${subject} is in ${String(account)}, but the order names ${payer}`);
  if (amount !== total) report.flaw(`${subject} differs from the order's total of ${formatMoney(total)}`);
  if (fee !== undefined && fee !== total - cardAmount) {
    report.flaw(`${subject} has a fee of ${formatMoney(fee)}, but the order's is ${formatMoney(total - cardAmount)}`);
  }
  const isFinal = status === 'completed' || status === 'failed';
  if (orphan !== 'none') {
    const text = `a second reservation for ${id} was made after the first one had ended`;
    if (isFinal) report.inProgress(`${text}; it is ${orphan}`);
    else report.flaw(`${text}, but the operation is ${status}`);
  }
  if (reservation === expectedReservation[status]) return;
  const decided = decisionFor[reservation];
  if (decided !== undefined && decided === operation.decision && !isFinal) {
    report.inProgress(`${subject} is ${reservation}; its operation (${status}) is not final yet`);
  } else report.flaw(`${subject} is ${reservation}, but its operation is ${status}`);
}

/** Two orders were accepted with one key at the same time, and only one of them became the operation. */
export function undone(state: 'reserved' | 'released' | 'open'): string {
  const outcome = state === 'released' ? 'was released' : 'will be released';
  return `${outcome}, because the operation with this id has another order`;
}

export const expectedReservation: Readonly<Record<OperationStatus, OperationAudit['reservation']>> = {
  completed: 'captured',
  failed: 'released',
  manual_review: 'open',
  processing: 'open',
  queued: 'open',
};

/** The decision that must precede the end of a reservation. */
const decisionFor: Readonly<Partial<Record<OperationAudit['reservation'], Decision>>> = {
  captured: 'accepted',
  released: 'declined',
};

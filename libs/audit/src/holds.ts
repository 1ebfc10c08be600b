import { formatMoney, type Money } from '@florin/kernel';
import type { HoldStep } from './account-audit';
import type { OperationStatus, Verdict } from './operation-status';

/**
 * An operation and its hold, which bear the same id. There are as many of these in memory as there are operations, so
 * they have the few fields that are compared in the end, and share the names of the accounts.
 */
export interface OperationAudit {
  /** It has its order, be it inside the hold or on a stream of its own: from then on it is shown. */
  isOrdered: boolean;
  /** The stream in which the funds are held; nothing before they are. */
  account: string | undefined;
  amount: Money;
  hold: 'none' | 'open' | 'captured' | 'released';
  /** A second hold, made after the first one had ended. */
  stray: 'none' | 'open' | 'released';
  /** The stream of the account that the order names; nothing before the operation is queued. */
  payer: string | undefined;
  total: Money;
  status: OperationStatus;
  verdict: Verdict | undefined;
  /** That of the operation's newest event; one less than the first while there is none. */
  revision: number;
}

/** Every field by itself: objects that begin with a spread do not share their shape, which would cost memory here. */
export function newOperation(): OperationAudit {
  return {
    isOrdered: false,
    account: undefined,
    amount: 0n,
    hold: 'none',
    stray: 'none',
    payer: undefined,
    total: 0n,
    status: 'queued',
    verdict: undefined,
    revision: -1,
  };
}

/** The newest event of its own stream or, while that has not begun, the account in which its funds are held. */
export function placeOfOperation(id: string, { account, payer, revision }: OperationAudit): string {
  return payer === undefined && account !== undefined ? account : `operation-${id}@${revision}`;
}

/** Follows one step of its hold, and tells what is wrong with the step. */
export function followHold(
  operation: OperationAudit,
  account: string,
  { id, amount, step, hasOrder }: HoldStep,
  flaw: (text: string) => void,
): void {
  if (hasOrder) operation.isOrdered = true;
  if (step === 'made') {
    if (operation.hold === 'none') Object.assign(operation, { account, amount, hold: 'open' });
    else if (operation.account !== account) flaw(`the hold for ${id} is in ${String(operation.account)} already`);
    else if (operation.hold !== 'open') operation.stray = 'open';
  } else if (operation.stray === 'open') {
    operation.stray = 'released';
    if (step === 'captured') flaw(`the hold for ${id} is captured although it was ${operation.hold} before`);
  } else if (operation.hold === 'open') {
    operation.hold = step;
  } else {
    const before = operation.hold === 'none' ? 'never made' : `${operation.hold} before`;
    flaw(`the hold for ${id} is ${step}, but it was ${before}`);
  }
}

/** What the two say about each other in the end: nothing where they agree. */
export function compareWithHold(
  id: string,
  operation: OperationAudit,
  tell: { readonly flaw: (text: string) => void; readonly underWay: (text: string) => void },
): void {
  const { account, payer, amount, total, hold, status, stray } = operation;
  const what = `the hold of ${formatMoney(amount)} for ${id}`;
  if (payer === undefined) {
    if (hold === 'open') return tell.underWay(`${what} waits for its operation to be queued`);
    return tell.flaw(`${what} is ${hold}, but there is no such operation`);
  }
  if (hold === 'none') return tell.flaw(`nothing was ever held for operation ${id} (${status})`);
  if (account !== payer) tell.flaw(`${what} is in ${String(account)}, but ${payer} is to pay`);
  if (amount !== total) tell.flaw(`${what} should be ${formatMoney(total)}, as was ordered`);
  if (stray !== 'none') {
    const isEnded = status === 'completed' || status === 'failed';
    if (isEnded) tell.underWay(`the hold for ${id} was made again after its end; the second one is ${stray}`);
    else tell.flaw(`the hold for ${id} was made again after its end, but the operation is ${status}`);
  }
  if (hold === holdWanted[status]) return;
  const isAhead = closings[hold] !== undefined && closings[hold] === operation.verdict && !(status in ends);
  if (isAhead) tell.underWay(`${what} is ${hold}, and its operation (${status}) is still to be told`);
  else tell.flaw(`${what} is ${hold}, but its operation is ${status}`);
}

const ends: Readonly<Partial<Record<OperationStatus, true>>> = { completed: true, failed: true };

const holdWanted: Readonly<Record<OperationStatus, OperationAudit['hold']>> = {
  completed: 'captured',
  failed: 'released',
  manual_review: 'open',
  processing: 'open',
  queued: 'open',
};

/** The verdict after which a hold may be closed in this way. */
const closings: Readonly<Partial<Record<OperationAudit['hold'], Verdict>>> = {
  captured: 'accepted',
  released: 'declined',
};

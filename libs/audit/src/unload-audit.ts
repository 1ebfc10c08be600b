import { formatMoney, type Money } from '@florin/kernel';
import { type AuditedEvent, fieldOf, type Finding, type Flaw, locationOf, moneyIn, textIn } from './audited-event';
import type { AuditedOperations } from './audited-operations';
import { type OperationAudit, undone } from './operation-audit';
import type { Decision, OperationStatus } from './operation-status';

/** An amount that an unload has taken off a card, or credited to an account. */
interface Moved {
  readonly cardStream: string;
  /** The stream of the account that owns the card, or that got the money. */
  readonly account: string;
  readonly number: number;
  readonly amount: Money;
  readonly at: string;
}

interface UnloadOnCard extends Moved {
  state: 'reserved' | 'unloaded' | 'released';
}

/** Both parts of an unload. */
interface UnloadAudit {
  /** Usually one. Another one has the order of a second request with the same key, and is released. */
  readonly onCards: UnloadOnCard[];
  refund: Moved | undefined;
}

export interface UnloadReport {
  readonly flaw: (finding: Finding) => void;
  readonly inProgress: (finding: Finding) => void;
}

const unloadEvents: ReadonlySet<string> = new Set(['UnloadReserved', 'CardUnloaded', 'UnloadReleased']);

/**
 * Traces money from cards back to accounts: every refund belongs to one unload of one card, and every unload of a card to one
 * accepted operation and one refund. Keeps one entry per unload in memory.
 */
export class UnloadsAudit {
  private readonly unloads = new Map<string, UnloadAudit>();
  private readonly numbers = new Set<string>();

  /** Returns what the event adds to the money on the card; undefined if it is no event of an unload. */
  addToCard(card: { readonly stream: string; readonly account: string }, event: AuditedEvent, flaw: Flaw) {
    if (!unloadEvents.has(event.type)) return undefined;
    const { type, data } = event;
    const id = textIn(data, 'operationId');
    const amount = moneyIn(data, 'amount');
    if (type === 'UnloadReserved') {
      this.reserve(id, card, event, flaw);
      return { balance: 0n, available: -amount };
    }
    const onCard = this.onCard(id, card.stream);
    if (onCard === undefined) flaw(`ends unload ${id}, which was not reserved on this card`);
    else if (onCard.state !== 'reserved') flaw(`ends unload ${id}, which is ${onCard.state} already`);
    else {
      onCard.state = type === 'CardUnloaded' ? 'unloaded' : 'released';
      if (onCard.amount !== amount)
        flaw(`is for ${formatMoney(amount)}, but ${formatMoney(onCard.amount)} was reserved`);
    }
    return type === 'CardUnloaded' ? { balance: -amount, available: 0n } : { balance: 0n, available: amount };
  }

  /** A second refund with this id is reported by the audit of its account. */
  addRefund(event: AuditedEvent): void {
    const { stream, data } = event;
    const cardStream = `card-${textIn(data, 'cardId')}`;
    const number = numberIn(data);
    const moved = { cardStream, account: stream, number, amount: moneyIn(data, 'amount'), at: locationOf(event) };
    this.unload(textIn(data, 'refundId')).refund ??= moved;
  }

  /** Whether the funds of this operation are reserved on a card. */
  has(operationId: string): boolean {
    return (this.unloads.get(operationId)?.onCards.length ?? 0) > 0;
  }

  /** Call after the last event. */
  close(operations: AuditedOperations, report: UnloadReport): void {
    for (const [id, { onCards, refund }] of this.unloads) {
      const operation = operations.get(id);
      for (const onCard of onCards) this.compareWithOperation(id, onCard, operation, report);
      const unloaded = onCards.filter(({ state }) => state === 'unloaded');
      for (const { at } of unloaded.slice(1)) report.flaw({ at, text: `${id} was taken off a second card` });
      compareWithRefund(id, unloaded[0] ?? onCards[0], refund, operation?.status, report);
    }
    for (const [id, { type, cardId, status, revision }] of operations.open) {
      if (type !== 'unload' || this.onCard(id, `card-${cardId}`) !== undefined) continue;
      report.flaw({ at: `operation-${id}@${revision}`, text: `nothing was reserved on a card for ${id} (${status})` });
    }
  }

  private reserve(id: string, card: Parameters<UnloadsAudit['addToCard']>[0], event: AuditedEvent, flaw: Flaw): void {
    const { stream, data } = event;
    const number = numberIn(fieldOf(data, 'order'));
    const key = `${stream} ${number}`;
    if (this.numbers.has(key)) flaw(`gives the number ${number} to a second unload`);
    this.numbers.add(key);
    const unload = this.unload(id);
    if (this.onCard(id, stream) !== undefined) return flaw(`reserves the amount of unload ${id} a second time`);
    const moved = { cardStream: stream, account: card.account, number, amount: moneyIn(data, 'amount') };
    unload.onCards.push({ ...moved, at: locationOf(event), state: 'reserved' });
  }

  private compareWithOperation(
    id: string,
    { cardStream, account, amount, state, at }: UnloadOnCard,
    operation: OperationAudit | undefined,
    { flaw, inProgress }: UnloadReport,
  ): void {
    const subject = `the unload of ${formatMoney(amount)} by ${id}`;
    if (operation?.payer === undefined) {
      if (state === 'reserved') return inProgress({ at, text: `${subject} waits for its operation to be queued` });
      return flaw({ at, text: `${subject} is ${state}, but the operation does not exist` });
    }
    const { type, cardId, payer, cardAmount, total, status, decision } = operation;
    const differ = (text: string): void => flaw({ at, text: `${subject} ${text}` });
    const isOther = type !== 'unload' || `card-${cardId}` !== cardStream;
    if (isOther && state !== 'unloaded' && payer === account)
      return inProgress({ at, text: `${subject} ${undone(state)}` });
    if (type !== 'unload') differ(`belongs to an operation of type ${type}`);
    if (`card-${cardId}` !== cardStream) differ(`belongs to an operation of card ${cardId}`);
    if (payer !== account) differ(`is of a card of ${account}, but the order names ${payer}`);
    if (cardAmount !== amount || total !== amount) differ(`differs from the order's amount of ${formatMoney(total)}`);
    if (state === expectedStates[status]) return;
    const isFinal = status === 'completed' || status === 'failed';
    if (state !== 'reserved' && decisionFor[state] === decision && !isFinal) {
      inProgress({ at, text: `${subject} is ${state}; its operation (${status}) is not final yet` });
    } else differ(`is ${state}, but its operation is ${status}`);
  }

  private onCard(id: string, stream: string): UnloadOnCard | undefined {
    return this.unloads.get(id)?.onCards.find(({ cardStream }) => cardStream === stream);
  }

  private unload(id: string): UnloadAudit {
    const known = this.unloads.get(id);
    if (known !== undefined) return known;
    const unload: UnloadAudit = { onCards: [], refund: undefined };
    this.unloads.set(id, unload);
    return unload;
  }
}

function compareWithRefund(
  id: string,
  onCard: UnloadOnCard | undefined,
  refund: Moved | undefined,
  status: OperationStatus | undefined,
  { flaw, inProgress }: UnloadReport,
): void {
  if (refund === undefined) {
    if (onCard?.state !== 'unloaded') return;
    const text = `${formatMoney(onCard.amount)} was taken off the card by ${id} and is not credited to an account`;
    return (status === 'completed' ? flaw : inProgress)({ at: onCard.at, text });
  }
  const subject = `the refund of ${formatMoney(refund.amount)} for ${id}`;
  if (onCard?.state !== 'unloaded') return flaw({ at: refund.at, text: `${subject} was not taken off a card` });
  const { cardStream, account, number, amount } = onCard;
  if (refund.amount !== amount || refund.cardStream !== cardStream || refund.number !== number) {
    const taken = `number ${number} of ${formatMoney(amount)} on ${cardStream}`;
    flaw({ at: refund.at, text: `${subject} differs from the unload, ${taken}` });
  }
  if (refund.account !== account)
    flaw({ at: refund.at, text: `${subject} belongs to ${account}, which owns the card` });
}

const expectedStates: Readonly<Record<OperationStatus, UnloadOnCard['state']>> = {
  completed: 'unloaded',
  failed: 'released',
  manual_review: 'reserved',
  processing: 'reserved',
  queued: 'reserved',
};

/** The decision that must precede the end of an unload on its card. */
const decisionFor: Readonly<Record<'unloaded' | 'released', Decision>> = { unloaded: 'accepted', released: 'declined' };

function numberIn(data: unknown): number {
  const number = fieldOf(data, 'unloadNumber');
  if (typeof number !== 'number') throw new Error('"unloadNumber" is missing or not a number');
  return number;
}

import { formatMoney, type Money } from '@florin/kernel';
import { type AuditedEvent, fieldOf, locationOf, moneyIn, textIn } from './audited-event';
import { AuditedCards, type CardAudit } from './audited-cards';
import type { AuditedOperations } from './audited-operations';
import { AuditedPayments } from './audited-payments';
import { add, compareMoney, noMoney } from './card-money';
import type { OperationAudit } from './operation-audit';
import { clearedAfter, effectOf, isSamePayment, type PaymentOnCard } from './payment-audit';
import { UnloadsAudit } from './unload-audit';

/** The money that one operation loaded onto a card. */
interface CardLoad {
  readonly card: Pick<CardAudit, 'stream' | 'account'>;
  readonly revision: number;
  readonly operationType: string;
  readonly amount: Money;
}

type Flaw = (text: string) => void;
type FlawAt = (at: string, text: string) => void;

/**
 * The events that move money between an account and a card, with the type of the operation that each of them belongs to.
 * A new type of such an operation is added here.
 */
const loadingOperations: ReadonlyMap<string, string> = new Map([
  ['CardIssued', 'issue'],
  ['CardToppedUp', 'topup'],
]);

/** Events that move no money. */
const statusChanges: ReadonlySet<string> = new Set([
  'CardFrozen',
  'CardUnfrozen',
  'CardClosed',
  'CardActivated',
  'CardBlocked',
  'CardUnblocked',
  'CardExpired',
  'CardChanged',
  'TopupStarted',
  'TopupCanceled',
]);

/**
 * Adds up every card from its operations and payments, and compares each step with the recorded balance. Keeps one
 * record per card and payment in memory, and the loads of operations that have not ended.
 */
export class CardsAudit {
  private readonly cards = new AuditedCards();
  private readonly loads = new Map<string, CardLoad>();
  private readonly payments = new AuditedPayments();
  readonly unloads = new UnloadsAudit();

  /** @param only the stream of the only account whose cards are audited; all cards if absent. */
  constructor(private readonly only?: string) {}

  /** Returns whether the event belongs to the audit. */
  addToCard(event: AuditedEvent, flaw: Flaw): boolean {
    const { stream, type, data } = event;
    let card = this.cards.get(stream);
    if (type === 'CardIssued') {
      const account = `account-${textIn(data, 'accountId')}`;
      if (this.only !== undefined && account !== this.only) return false;
      if (card !== undefined) flaw('issues the card a second time');
      card = { stream, account, money: noMoney(), drift: noMoney() };
    }
    if (card === undefined) {
      if (this.only !== undefined) return false;
      throw new Error('the card was not issued');
    }
    if (statusChanges.has(type)) return true;
    try {
      this.moveMoney(card, event, flaw);
    } finally {
      this.cards.set(card);
    }
    return true;
  }

  private moveMoney(card: CardAudit, event: AuditedEvent, flaw: Flaw): void {
    const { type, data } = event;
    const operationType = loadingOperations.get(type);
    const unloaded = this.unloads.addToCard(card, event, flaw);
    if (unloaded !== undefined) add(card, unloaded);
    else if (operationType !== undefined) this.load(card, operationType, event, flaw);
    else if (type === 'PaymentRecorded') this.recordPayment(card, event, flaw);
    else if (type === 'PaymentChanged') this.changePayment(card, event, flaw);
    else throw new Error('this release does not know the event type');
    const { balance, available } = card.money;
    if (balance < 0n) flaw(`leaves a negative balance: ${formatMoney(balance)}`);
    else if (available < 0n) flaw(`leaves a negative available amount: ${formatMoney(available)}`);
    if (type !== 'CardIssued') compareMoney(card, data, flaw);
  }

  /** Returns whether the event belongs to the audit. */
  addToTransaction({ type, data }: AuditedEvent, flaw: Flaw): boolean {
    if (type !== 'TransactionClaimed') throw new Error('this release does not know the event type');
    if (this.only !== undefined && `account-${textIn(data, 'accountId')}` !== this.only) return false;
    const payment = fieldOf(data, 'payment');
    const id = textIn(data, 'transactionId');
    const transaction = this.payments.toChange(id);
    if (transaction.claim !== undefined) flaw(`claims transaction ${id} a second time`);
    transaction.claim = {
      cardStream: `card-${textIn(data, 'cardId')}`,
      type: textIn(payment, 'type'),
      amount: moneyIn(payment, 'amount'),
    };
    this.payments.changed(id);
    return true;
  }

  /** Call after the last event. */
  close(operations: AuditedOperations, flawAt: FlawAt): void {
    for (const [id, { card, revision, operationType, amount }] of this.loads) {
      const flaw = (text: string): void => {
        const subject = `the card got ${formatMoney(amount)} by operation ${id}`;
        flawAt(locationOf({ stream: card.stream, revision }), `${subject}, ${text}`);
      };
      const operation = operations.get(id);
      if (operation?.payer === undefined) flaw('which does not exist');
      else compareLoad(operation, { card, operationType, amount }, flaw);
    }
    for (const [id, { type, status, revision }] of operations.open) {
      if (status !== 'completed' || this.loads.has(id)) continue;
      if (isLoading(type))
        flawAt(`operation-${id}@${revision}`, `the ${type} ${id} is completed, but no card got its money`);
    }
    for (const [id, { payment, claim }] of this.payments.others) {
      if (payment === undefined) continue;
      const at = locationOf({ stream: payment.cardStream, revision: payment.revision });
      const subject = `the ${payment.type} ${id} of ${formatMoney(payment.amount)}`;
      if (claim === undefined) flawAt(at, `${subject} belongs to no transaction`);
      else if (!isSamePayment(claim, payment)) {
        const claimed = `a ${claim.type} of ${formatMoney(claim.amount)} with ${claim.cardStream}`;
        flawAt(at, `${subject} differs from its transaction, ${claimed}`);
      }
    }
  }

  /** The load of an operation that has ended; undefined if it has none, and should have none. */
  agreedLoad(id: string, operation: OperationAudit): CardLoad | undefined | 'differs' {
    if (this.unloads.has(id)) return 'differs';
    const load = this.loads.get(id);
    const isExpected = operation.status === 'completed' && isLoading(operation.type);
    if (load === undefined) return isExpected ? 'differs' : undefined;
    let isAgreed = isExpected;
    compareLoad(operation, load, () => (isAgreed = false));
    return isAgreed ? load : 'differs';
  }

  forgetLoad(operationId: string): void {
    this.loads.delete(operationId);
  }

  /** Of an operation with an agreed load. */
  restoreLoad(id: string, { cardId, cardAmount, type }: OperationAudit, revision: number): void {
    const card = this.cards.get(`card-${cardId}`)!;
    this.loads.set(id, { card, revision, operationType: type!, amount: cardAmount });
  }

  private load(card: CardAudit, operationType: string, { revision, data }: AuditedEvent, flaw: Flaw): void {
    const id = textIn(data, 'operationId');
    const amount = moneyIn(data, 'amount');
    add(card, { balance: amount, available: amount });
    if (this.loads.has(id)) flaw(`puts the money of operation ${id} on a card a second time`);
    else this.loads.set(id, { card, revision, operationType, amount });
  }

  private recordPayment(card: CardAudit, { revision, data }: AuditedEvent, flaw: Flaw): void {
    const reported = fieldOf(data, 'payment');
    const id = textIn(reported, 'transactionId');
    const payment: PaymentOnCard = {
      cardStream: card.stream,
      type: textIn(reported, 'type'),
      amount: moneyIn(reported, 'amount'),
      revision,
      status: textIn(reported, 'status'),
      cleared: 0n,
      refunded: 0n,
    };
    payment.cleared = payment.status === 'completed' ? payment.amount : 0n;
    const { refundOf } = reported as { readonly refundOf?: string };
    if (refundOf !== undefined) this.refund(card, refundOf, payment.cleared, flaw);
    add(card, effectOf(payment));
    const transaction = this.payments.toChange(id);
    if (transaction.payment === undefined) transaction.payment = payment;
    else flaw(`records payment ${id} a second time`);
    this.payments.changed(id);
  }

  /** A refund that is reported before it completes is checked by its balance only. */
  private refund(card: CardAudit, id: string, amount: Money, flaw: Flaw): void {
    const payment = this.payments.get(id)?.payment;
    if (payment?.cardStream !== card.stream) throw new Error(`payment ${id} was not recorded on this card`);
    payment.refunded += amount;
    this.payments.changed(id);
    if (payment.refunded > payment.cleared) flaw(`refunds more of payment ${id} than was cleared`);
  }

  private changePayment(card: CardAudit, { data }: AuditedEvent, flaw: Flaw): void {
    const id = textIn(data, 'transactionId');
    const payment = this.payments.get(id)?.payment;
    if (payment?.cardStream !== card.stream) throw new Error(`payment ${id} was not recorded on this card`);
    const before = effectOf(payment);
    const cleared = clearedAfter(payment, data);
    if (cleared !== undefined) flaw(`clears ${formatMoney(cleared)} of payment ${id}, which is not what it reports`);
    const after = effectOf(payment);
    this.payments.changed(id);
    add(card, { balance: after.balance - before.balance, available: after.available - before.available });
  }
}

function isLoading(type: string | undefined): boolean {
  return [...loadingOperations.values()].some((loading) => loading === type);
}

function compareLoad(
  { payer, type, cardId, cardAmount, status, decision }: OperationAudit,
  { card, operationType, amount }: Omit<CardLoad, 'revision'>,
  flaw: Flaw,
): void {
  if (decision !== 'accepted') flaw(`which is ${status} and was not accepted`);
  if (type !== operationType) flaw(`which is of type ${type} instead of ${operationType}`);
  if (`card-${cardId}` !== card.stream) flaw(`which names card ${cardId}`);
  if (payer !== card.account) flaw(`which ${payer} pays, but the card belongs to ${card.account}`);
  if (cardAmount !== amount) flaw(`which orders ${formatMoney(cardAmount)}`);
}

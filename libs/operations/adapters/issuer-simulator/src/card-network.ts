import { canonicalMoneyText, randomId } from '@florin/kernel';
import type { CallbackResult, Callbacks, Held } from './callbacks';
import type { IssuerOrder } from './issuer-behaviors';

/** A card that the simulator has issued. */
export interface SimulatedCard {
  readonly cardId: string;
  readonly cardReference: string;
  readonly companyId: string;
}

/** What a cardholder pays with a card. */
export interface CardPurchase {
  /** Florin's id of the card, or the issuer's reference. */
  readonly card: string;
  readonly amount: string;
  readonly type?: 'purchase' | 'withdrawal' | 'verification';
  readonly merchant?: string;
  readonly merchantCategory?: string;
  readonly country?: string;
  readonly description?: string;
  readonly originalAmount?: string;
  readonly originalCurrency?: string;
}

export interface Authorization {
  readonly reference: string;
  readonly decision: 'approve' | 'decline';
  readonly reason?: string;
}

/** A step of a payment that was authorized before. */
export interface PaymentStep {
  /** The reference of the authorization. */
  readonly authorization: string;
}

interface Payment {
  readonly card: SimulatedCard;
  readonly details: Omit<CardPurchase, 'card'>;
}

type Sent = CallbackResult | Held;

/** The part of the issuer that reports card payments and card statuses to Florin. */
export class CardNetwork {
  private readonly cards = new Map<string, SimulatedCard>();
  private readonly payments = new Map<string, Payment>();

  constructor(private readonly callbacks: Callbacks) {}

  /** Remembers the card of an accepted issue. */
  add({ cardId, companyId }: Pick<IssuerOrder, 'cardId' | 'companyId'>, cardReference: string): void {
    if (cardId === undefined || companyId === undefined) return;
    const card = { cardId, cardReference, companyId };
    this.cards.set(cardId, card);
    this.cards.set(cardReference, card);
  }

  get list(): readonly SimulatedCard[] {
    return [...new Set(this.cards.values())];
  }

  /** Asks Florin to decide. */
  async authorize(purchase: CardPurchase): Promise<Authorization> {
    const { reference, payment } = this.begin(purchase);
    const authorization = { reference, ...detailsOf(payment) };
    const result = await this.callbacks.post('/issuer/v1/authorizations', { ...about(payment.card), authorization });
    if (result.status !== 200)
      throw new Error(`Florin responded with ${result.status}: ${JSON.stringify(result.body)}`);
    return { reference, ...(result.body as Omit<Authorization, 'reference'>) };
  }

  /** Reports a payment that was not authorized before, such as of an offline terminal. */
  async pay(purchase: CardPurchase): Promise<Sent & { readonly reference: string }> {
    const { reference, payment } = this.begin(purchase);
    return { reference, ...(await this.report(reference, payment, 'completed')) };
  }

  clear({ authorization, amount, final = true }: PaymentStep & { readonly amount?: string; readonly final?: boolean }) {
    const { card, details } = this.paymentOf(authorization);
    const clearing = {
      ...detailsOf({ card, details: { ...details, amount: amount ?? details.amount } }),
      reference: randomId(),
      transactionReference: authorization,
      final,
    };
    return this.callbacks.send({ type: 'clearing', ...about(card), clearing });
  }

  reverse({ authorization }: PaymentStep): Promise<Sent> {
    return this.report(authorization, this.paymentOf(authorization), 'reversed');
  }

  expire({ authorization }: PaymentStep): Promise<Sent> {
    return this.report(authorization, this.paymentOf(authorization), 'expired');
  }

  /** Returns money of a payment, all of it by default. */
  refund({ authorization, amount }: PaymentStep & { readonly amount?: string }): Promise<Sent> {
    const { card, details } = this.paymentOf(authorization);
    const refunded = detailsOf({ card, details: { ...details, amount: amount ?? details.amount } });
    const transaction = {
      ...refunded,
      reference: randomId(),
      type: 'refund',
      status: 'completed',
      refundOf: authorization,
    };
    return this.callbacks.send({ type: 'transaction', ...about(card), transaction });
  }

  setStatus({ card, status }: { readonly card: string; readonly status: 'active' | 'blocked' | 'expired' }) {
    const known = this.cardOf(card);
    const occurredAt = new Date().toISOString();
    return this.callbacks.send({ type: 'card', ...about(known), status, occurredAt });
  }

  private begin({ card, ...details }: CardPurchase): { readonly reference: string; readonly payment: Payment } {
    const payment = {
      card: this.cardOf(card),
      details: { ...details, amount: canonicalMoneyText(details.amount) },
    };
    const reference = randomId();
    this.payments.set(reference, payment);
    return { reference, payment };
  }

  private report(reference: string, payment: Payment, status: string): Promise<Sent> {
    const transaction = { ...detailsOf(payment), reference, status };
    return this.callbacks.send({ type: 'transaction', ...about(payment.card), transaction });
  }

  private cardOf(id: string): SimulatedCard {
    const card = this.cards.get(id);
    if (card === undefined) throw new Error(`No card ${id} was issued. GET /sim/state lists the cards.`);
    return card;
  }

  private paymentOf(reference: string): Payment {
    const payment = this.payments.get(reference);
    if (payment === undefined) throw new Error(`There is no authorization ${reference}.`);
    return payment;
  }
}

function about({ companyId, cardReference }: SimulatedCard): object {
  return { companyId, cardReference };
}

function detailsOf({ details }: Payment) {
  const { merchant = 'Simulated Shop', country = 'NL', type = 'purchase', ...rest } = details;
  return { ...rest, type, merchant, country, currency: 'USD', occurredAt: new Date().toISOString() };
}

import { uuidAt, UuidRecords, writeUuid } from '@florin/event-sourcing';
import { fitsIntoRecord } from './card-money';
import { NumberedTexts } from './numbered-texts';
import { isSamePayment, type Payment, type PaymentOnCard } from './payment-audit';

/** A payment on a card, and the claim that binds its ID to this card. */
export interface TransactionAudit {
  claim: Payment | undefined;
  payment: PaymentOnCard | undefined;
}

/** What a record has, at which byte. The id is not part of it. */
const fields = { amount: 0, cleared: 8, refunded: 16, revision: 24, cardId: 28, type: 44, status: 45 } as const;
const recordSize = 46;
const maxTexts = 256;
const prefix = 'card-';

/** All payments. One that agrees with its claim takes about 70 bytes: there may be millions. */
export class AuditedPayments {
  /** Those with only one of both, that differ, or without a UUID. */
  readonly others = new Map<string, TransactionAudit>();
  private readonly records = new UuidRecords(recordSize);
  /** Types and statuses. */
  private readonly texts = new NumberedTexts();

  /** Call `changed` after a change. */
  toChange(id: string): TransactionAudit {
    const known = this.get(id);
    if (known !== undefined) return known;
    const transaction: TransactionAudit = { claim: undefined, payment: undefined };
    this.others.set(id, transaction);
    return transaction;
  }

  get(id: string): TransactionAudit | undefined {
    const other = this.others.get(id);
    if (other !== undefined) return other;
    const offset = this.records.find(id);
    if (offset === undefined) return undefined;
    const transaction = this.read(offset);
    // The record is out of date from now on.
    this.others.set(id, transaction);
    return transaction;
  }

  changed(id: string): void {
    const { claim, payment } = this.others.get(id)!;
    if (claim === undefined || payment === undefined || !this.isRepresentable(claim, payment)) return;
    const offset = this.records.add(id);
    if (offset === undefined) return;
    const { bytes } = this.records;
    bytes.writeBigInt64LE(payment.amount, offset + fields.amount);
    bytes.writeBigInt64LE(payment.cleared, offset + fields.cleared);
    bytes.writeBigInt64LE(payment.refunded, offset + fields.refunded);
    bytes.writeUInt32LE(payment.revision, offset + fields.revision);
    writeUuid(bytes, offset + fields.cardId, payment.cardStream.slice(prefix.length));
    bytes[offset + fields.type] = this.texts.numberOf(payment.type);
    bytes[offset + fields.status] = this.texts.numberOf(payment.status);
    this.others.delete(id);
  }

  private read(offset: number): TransactionAudit {
    const { bytes } = this.records;
    const payment: PaymentOnCard = {
      cardStream: `${prefix}${uuidAt(bytes, offset + fields.cardId)}`,
      type: this.texts.textOf(bytes[offset + fields.type]!),
      amount: bytes.readBigInt64LE(offset + fields.amount),
      revision: bytes.readUInt32LE(offset + fields.revision),
      status: this.texts.textOf(bytes[offset + fields.status]!),
      cleared: bytes.readBigInt64LE(offset + fields.cleared),
      refunded: bytes.readBigInt64LE(offset + fields.refunded),
    };
    const { cardStream, type, amount } = payment;
    return { claim: { cardStream, type, amount }, payment };
  }

  private isRepresentable(claim: Payment, payment: PaymentOnCard): boolean {
    const { amount, cleared, refunded, cardStream } = payment;
    const hasRoom = this.texts.texts.length + 2 <= maxTexts;
    const hasUuid = writeUuid(cardBytes, 0, cardStream.slice(prefix.length));
    return hasRoom && hasUuid && isSamePayment(claim, payment) && [amount, cleared, refunded].every(fitsIntoRecord);
  }
}

const cardBytes = Buffer.alloc(16);

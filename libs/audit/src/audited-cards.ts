import { UuidRecords } from '@florin/event-sourcing';
import { type AuditedMoney, fitsIntoRecord, noMoney } from './card-money';
import { NumberedTexts } from './numbered-texts';

export interface CardAudit extends AuditedMoney {
  readonly stream: string;
  /** The stream of the account that owns the card. */
  readonly account: string;
}

/** What a record has, at which byte. The id is not part of it. */
const fields = { balance: 0, available: 8, account: 16 } as const;
const recordSize = 20;
const prefix = 'card-';

/** All cards. One whose events record what they add up to takes about 45 bytes: there may be millions. */
export class AuditedCards {
  /** Those that differ, and those without a UUID. */
  private readonly others = new Map<string, CardAudit>();
  private readonly records = new UuidRecords(recordSize);
  private readonly accounts = new NumberedTexts();

  /** Call `set` with it after a change. */
  get(stream: string): CardAudit | undefined {
    const other = this.others.size === 0 ? undefined : this.others.get(stream);
    if (other !== undefined) return other;
    const offset = this.records.find(idOf(stream));
    if (offset === undefined) return undefined;
    const { bytes } = this.records;
    const account = this.accounts.textOf(bytes.readUInt32LE(offset + fields.account));
    const balance = bytes.readBigInt64LE(offset + fields.balance);
    const available = bytes.readBigInt64LE(offset + fields.available);
    return { stream, account, money: { balance, available }, drift: noMoney() };
  }

  set(card: CardAudit): void {
    const { stream, account, money } = card;
    const offset = isRepresentable(card) ? this.records.add(idOf(stream)) : undefined;
    if (offset === undefined) {
      this.others.set(stream, card);
      return;
    }
    const { bytes } = this.records;
    bytes.writeBigInt64LE(money.balance, offset + fields.balance);
    bytes.writeBigInt64LE(money.available, offset + fields.available);
    bytes.writeUInt32LE(this.accounts.numberOf(account), offset + fields.account);
    if (this.others.size > 0) this.others.delete(stream);
  }
}

function idOf(stream: string): string {
  return stream.slice(prefix.length);
}

function isRepresentable({ money, drift }: AuditedMoney): boolean {
  const hasDrift = drift.balance !== 0n || drift.available !== 0n;
  return !hasDrift && fitsIntoRecord(money.balance) && fitsIntoRecord(money.available);
}

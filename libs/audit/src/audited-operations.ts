import { uuidAt, UuidRecords, writeUuid } from '@florin/event-sourcing';
import { fitsIntoRecord } from './card-money';
import { NumberedTexts } from './numbered-texts';
import { expectedReservation, newOperation, type OperationAudit } from './operation-audit';
import { restoredOperations, type StoredOperations, storedOperations } from './stored-operations';

/** What a record has, at which byte. The id is not part of it. */
const fields = {
  amount: 0,
  cardAmount: 8,
  account: 16,
  revision: 20,
  loadRevision: 24,
  flags: 28,
  cardId: 29,
} as const;
const recordSize = 45;

const isCompletedFlag = 1;
const hasFeeFlag = 2;
const hasCardFlag = 4;
const hasLoadFlag = 8;
/** The operation has changed since then, and is among the open ones again. */
const isReopenedFlag = 16;
const typeShift = 5;

/** An unload has a counterpart on its card, which is compared after the last event. */
const types = ['issue', 'topup', 'service'];
const maxRevision = 2 ** 32 - 1;

/** As plain data. */
export interface StoredAuditedOperations {
  readonly open: StoredOperations;
  readonly ended: UuidRecords;
  readonly accounts: readonly string[];
}

/**
 * All operations of the log. Those that have ended, and agree with their reservation and the money on their card, take about
 * 70 bytes each: there may be millions. An operation that changes later is an object again.
 */
export class AuditedOperations implements Iterable<[id: string, operation: OperationAudit]> {
  /** The operations that have not ended, or that differ. */
  readonly open = new Map<string, OperationAudit>();
  private ended = new UuidRecords(recordSize);
  private accounts = new NumberedTexts();

  static from({ open, ended, accounts }: StoredAuditedOperations): AuditedOperations {
    const operations = new AuditedOperations();
    for (const [id, operation] of restoredOperations(open)) operations.open.set(id, operation);
    operations.ended = UuidRecords.from(ended);
    operations.accounts = new NumberedTexts(accounts);
    return operations;
  }

  stored(): StoredAuditedOperations {
    return { open: storedOperations(this.open), ended: this.ended, accounts: this.accounts.texts };
  }

  get size(): number {
    return this.open.size + this.endedCount;
  }

  /** The number of those whose order is known. */
  get orderedCount(): number {
    let count = this.endedCount;
    for (const { isOrdered } of this.open.values()) if (isOrdered) count += 1;
    return count;
  }

  hasEnded(id: string): boolean {
    return !this.open.has(id) && this.ended.find(id) !== undefined;
  }

  /** Of an operation that has ended, it returns a copy. */
  get(id: string): OperationAudit | undefined {
    const open = this.open.get(id);
    if (open !== undefined) return open;
    const offset = this.ended.find(id);
    return offset === undefined ? undefined : this.read(offset);
  }

  /** Like `get`, but only what is compared with each row of the list of operations. */
  statusOf(id: string): Pick<OperationAudit, 'isOrdered' | 'status' | 'revision'> | undefined {
    const open = this.open.get(id);
    if (open !== undefined) return open;
    const offset = this.ended.find(id);
    if (offset === undefined) return undefined;
    return { isOrdered: true, status: this.statusAt(offset), revision: this.revisionAt(offset) };
  }

  /** The operation to change. `reopened` gets the revision of the card event that has loaded its money. */
  toChange(id: string, reopened: (operation: OperationAudit, loadRevision: number) => void): OperationAudit {
    const open = this.open.get(id);
    if (open !== undefined) return open;
    const offset = this.ended.find(id);
    const isEnded = offset !== undefined && !this.has(isReopenedFlag, offset);
    const operation = isEnded ? this.read(offset) : newOperation();
    this.open.set(id, operation);
    if (!isEnded) return operation;
    const { bytes } = this.ended;
    if (this.has(hasLoadFlag, offset)) reopened(operation, bytes.readUInt32LE(offset + fields.loadRevision));
    bytes[offset + fields.flags]! |= isReopenedFlag;
    return operation;
  }

  /**
   * Call it if an operation has got what its end requires of its card. Returns whether the operation has ended and agrees with
   * its reservation: then it is no longer an open one.
   */
  end(id: string, load: { readonly revision: number } | undefined): boolean {
    const operation = this.open.get(id);
    if (operation === undefined || !hasEnded(operation)) return false;
    const { account, amount, fee, cardAmount, type, cardId, status, revision } = operation;
    if (cardId !== undefined && !writeUuid(cardBytes, 0, cardId)) return false;
    const offset = this.ended.add(id);
    if (offset === undefined) return false;
    const { bytes } = this.ended;
    bytes.writeBigInt64LE(amount, offset + fields.amount);
    bytes.writeBigInt64LE(cardAmount, offset + fields.cardAmount);
    bytes.writeUInt32LE(this.accounts.numberOf(account!), offset + fields.account);
    bytes.writeUInt32LE(revision, offset + fields.revision);
    bytes.writeUInt32LE(load?.revision ?? 0, offset + fields.loadRevision);
    if (cardId !== undefined) writeUuid(bytes, offset + fields.cardId, cardId);
    bytes[offset + fields.flags] =
      (status === 'completed' ? isCompletedFlag : 0) |
      (fee === undefined ? 0 : hasFeeFlag) |
      (cardId === undefined ? 0 : hasCardFlag) |
      (load === undefined ? 0 : hasLoadFlag) |
      (types.indexOf(type!) << typeShift);
    this.open.delete(id);
    return true;
  }

  *[Symbol.iterator](): Generator<[id: string, operation: OperationAudit]> {
    for (const [id, offset] of this.ended.entries()) {
      if (!this.has(isReopenedFlag, offset)) yield [id, this.read(offset)];
    }
    yield* this.open;
  }

  private read(offset: number): OperationAudit {
    const { bytes } = this.ended;
    const operation = newOperation();
    const amount = bytes.readBigInt64LE(offset + fields.amount);
    operation.isOrdered = true;
    operation.account = operation.payer = this.accounts.textOf(bytes.readUInt32LE(offset + fields.account));
    operation.amount = operation.total = amount;
    operation.cardAmount = bytes.readBigInt64LE(offset + fields.cardAmount);
    operation.fee = this.has(hasFeeFlag, offset) ? amount - operation.cardAmount : undefined;
    operation.type = types[bytes[offset + fields.flags]! >> typeShift];
    operation.cardId = this.has(hasCardFlag, offset) ? uuidAt(bytes, offset + fields.cardId) : undefined;
    operation.status = this.statusAt(offset);
    operation.decision = operation.status === 'completed' ? 'accepted' : 'declined';
    operation.reservation = expectedReservation[operation.status];
    operation.revision = this.revisionAt(offset);
    return operation;
  }

  private statusAt(offset: number): 'completed' | 'failed' {
    return this.has(isCompletedFlag, offset) ? 'completed' : 'failed';
  }

  private revisionAt(offset: number): number {
    return this.ended.bytes.readUInt32LE(offset + fields.revision);
  }

  private get endedCount(): number {
    let count = 0;
    for (const offset of this.ended.offsets()) if (!this.has(isReopenedFlag, offset)) count += 1;
    return count;
  }

  private has(flag: number, offset: number): boolean {
    return (this.ended.bytes[offset + fields.flags]! & flag) !== 0;
  }
}

const cardBytes = Buffer.alloc(16);

/** Whether a record can represent the operation, and there is nothing to report about it. */
function hasEnded(operation: OperationAudit): boolean {
  const { account, payer, amount, total, fee, cardAmount, status, type, revision } = operation;
  const isFinal = status === 'completed' || status === 'failed';
  const isDecided = operation.decision === (status === 'completed' ? 'accepted' : 'declined');
  const isReserved = operation.reservation === expectedReservation[status] && operation.orphan === 'none';
  const isAsOrdered = account !== undefined && account === payer && amount === total && operation.isOrdered;
  const isFeeAsOrdered = fee === undefined || fee === total - cardAmount;
  const isRepresentable =
    types.includes(String(type)) && fitsIntoRecord(amount) && fitsIntoRecord(cardAmount) && revision <= maxRevision;
  return isFinal && isDecided && isReserved && isAsOrdered && isFeeAsOrdered && isRepresentable;
}

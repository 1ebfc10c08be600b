import { beforeFirst, type Position } from './ports/event-store.port';

/** Behind the same address is another store, or an older copy: nothing may be stored there, and nothing read from there is true. */
export class EventStoreMismatch extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EventStoreMismatch';
  }
}

/** Whether a command failed because of another store. The bus transmits only the name of the error. */
export function isStoreMismatch(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'EventStoreMismatch' || isStoreMismatch(error.cause);
}

export interface StoreState {
  readonly id: string | null | undefined;
  /** The position of the newest event that is known, or found. */
  readonly end: Position;
}

/** How a store differs from what is known about it; undefined if it is the same one. */
export function storeDifference(known: StoreState, found: StoreState): string | undefined {
  if (typeof known.id === 'string' && found.id !== known.id) {
    return typeof found.id === 'string'
      ? `it is ${found.id}, not ${known.id}`
      : `it has no identity, and ${known.id} is expected`;
  }
  if (found.end >= known.end) return undefined;
  return `it ends at ${found.end}, before position ${known.end} that was read from it, so it is an older copy`;
}

/** What a process knows about its store, to recognize another one behind the same address. */
export class KnownStore {
  private id: string | undefined;
  private reached: Position = beforeFirst;

  /** `describe` returns the error message for a difference. */
  constructor(private readonly describe: (difference: string) => string) {}

  /** Sets the identity that the store must have from now on. */
  expect(id: string): void {
    this.id = id;
  }

  /** Without an expected identity, nothing is checked. */
  get isExpected(): boolean {
    return this.id !== undefined;
  }

  /** The furthest position of an event that was stored or read. */
  get end(): Position {
    return this.reached;
  }

  saw(position: Position): void {
    if (position > this.reached) this.reached = position;
  }

  /** The same for a store whose identity was not read again. */
  requireEnd(found: Position, end: Position): void {
    this.require({ id: this.id, end: found }, end);
  }

  /** Throws `EventStoreMismatch`. `end` was known before the state was read. */
  require(found: StoreState, end: Position = beforeFirst): void {
    if (!this.isExpected) return;
    const difference = storeDifference({ id: this.id, end }, found);
    if (difference !== undefined) throw new EventStoreMismatch(this.describe(difference));
  }
}

import type { Position, RecordedEvent } from '../ports/event-store.port';
import type { EvidenceFinding, EvidenceKind } from './check-checkpoints';
import type { LogCheckpoint } from './log-checkpoint';
import { emptyLogState, LogDigest, type LogState } from './log-digest';

/** A range of the log that differs from what was signed. */
interface Difference {
  readonly kind: EvidenceKind;
  readonly from: Position;
  to: Position;
  /** How many more events there are than were signed; negative if there are fewer. */
  surplus: number;
  /** The first and the last checkpoint that prove it. */
  readonly first: number;
  last: number;
}

/** What was compared so far. Plain data; a later comparison continues from it. */
export interface EvidenceState {
  /** Of all events, computed from the last signed state. */
  readonly digest: LogState;
  readonly signed: LogState;
  readonly hasBrokenChain: boolean;
  readonly uncovered: number;
  readonly firstUncovered: RecordedEvent | undefined;
  readonly differences: readonly Difference[];
}

export interface EvidenceResult {
  readonly findings: readonly EvidenceFinding[];
  /** The last position that a checkpoint covers. */
  readonly coveredTo: Position;
  /** The number of events after it, which no signature protects yet. */
  readonly uncovered: number;
  /** The oldest of them. */
  readonly firstUncovered: RecordedEvent | undefined;
}

/**
 * Compares the log with its signed checkpoints. Each range between two checkpoints is computed from the signed state
 * before it, so one changed range does not hide or imply another. Add all events in the order of the log.
 */
export class LogEvidence {
  private digest = new LogDigest();
  private signed: LogState = emptyLogState;
  private next = 0;
  private hasBrokenChain = false;
  private lastPosition: Position = emptyLogState.position;
  private uncovered = 0;
  private firstUncovered: RecordedEvent | undefined;
  private readonly differences: Difference[] = [];

  /**
   * @param checkpoints with valid signatures, by ascending number; all of them, also if the comparison continues.
   * @param state of an earlier comparison. Checkpoints between its last signed position and its end were signed since then; the next
   * checkpoint includes what they cover.
   */
  constructor(
    private readonly checkpoints: readonly LogCheckpoint[],
    state?: EvidenceState,
  ) {
    if (state === undefined) return;
    this.digest = new LogDigest(state.digest);
    this.signed = state.signed;
    this.hasBrokenChain = state.hasBrokenChain;
    this.lastPosition = state.digest.position;
    this.differences.push(...state.differences.map((difference) => ({ ...difference })));
    const next = checkpoints.findIndex(
      ({ position }) => position > state.signed.position && position >= state.digest.position,
    );
    this.next = next < 0 ? checkpoints.length : next;
    if (next >= 0) return;
    this.uncovered = state.uncovered;
    this.firstUncovered = state.firstUncovered;
  }

  get state(): EvidenceState {
    const { signed, hasBrokenChain, uncovered, firstUncovered, differences } = this;
    return { digest: this.digest.state, signed, hasBrokenChain, uncovered, firstUncovered, differences };
  }

  /** @param continuesChain whether the event continues the hash chain of its stream. */
  add(event: RecordedEvent, continuesChain: boolean): void {
    for (let checkpoint = this.checkpoints[this.next]; checkpoint && event.position > checkpoint.position;) {
      this.compare(checkpoint);
      checkpoint = this.checkpoints[this.next];
    }
    this.lastPosition = event.position;
    if (this.next === this.checkpoints.length) {
      this.uncovered += 1;
      this.firstUncovered ??= event;
    }
    this.digest.add(event);
    if (!continuesChain) this.hasBrokenChain = true;
  }

  /** Call once, after the last event. */
  close(): EvidenceResult {
    for (let checkpoint = this.checkpoints[this.next]; checkpoint && checkpoint.position <= this.lastPosition;) {
      this.compare(checkpoint);
      checkpoint = this.checkpoints[this.next];
    }
    const newest = this.checkpoints.at(-1);
    const findings = this.differences.map(describe);
    if (newest !== undefined && this.next < this.checkpoints.length) findings.push(this.truncated(newest));
    const { uncovered, firstUncovered } = this;
    return { findings, coveredTo: newest?.position ?? emptyLogState.position, uncovered, firstUncovered };
  }

  private compare(checkpoint: LogCheckpoint): void {
    const { count, hash, contents } = this.digest.state;
    const surplus = count - checkpoint.count;
    if (surplus !== 0 || hash !== checkpoint.hash) {
      const kind = this.kindOf(surplus, contents === checkpoint.contents);
      this.differ({
        kind,
        from: this.signed.position + 1n,
        to: checkpoint.position,
        surplus,
        number: checkpoint.number,
      });
    }
    this.signed = checkpoint;
    this.digest = new LogDigest(checkpoint);
    this.hasBrokenChain = false;
    this.next += 1;
  }

  private kindOf(surplus: number, hasSameContents: boolean): EvidenceKind {
    if (surplus < 0) return 'removed';
    if (surplus > 0) return 'inserted';
    if (hasSameContents) return 'reordered';
    return this.hasBrokenChain ? 'changed' : 're-chained';
  }

  /** Neighboring ranges with the same difference are one finding. */
  private differ({ number, ...range }: Omit<Difference, 'first' | 'last'> & { readonly number: number }): void {
    const last = this.differences.at(-1);
    if (last !== undefined && last.kind === range.kind && last.to + 1n === range.from) {
      last.to = range.to;
      last.surplus += range.surplus;
      last.last = number;
    } else this.differences.push({ ...range, first: number, last: number });
  }

  private truncated({ number, position, count }: LogCheckpoint): EvidenceFinding {
    const text = `the log ends here, but checkpoint ${number} was signed for ${count} events up to position ${position}`;
    return { kind: 'truncated', at: `position ${this.lastPosition}`, text };
  }
}

function describe({ kind, from, to, surplus, first, last }: Difference): EvidenceFinding {
  const at = from === to ? `position ${from}` : `positions ${from} to ${to}`;
  const proof = first === last ? `checkpoint ${first}` : `checkpoints ${first} to ${last}`;
  return { kind, at, text: `${changeTexts(kind, Math.abs(surplus))} (${proof})` };
}

function changeTexts(kind: EvidenceKind, events: number): string {
  const number = events === 1 ? '1 event was' : `${events} events were`;
  switch (kind) {
    case 'removed':
      return `${number} removed after they were signed`;
    case 'inserted':
      return `${number} inserted after the log was signed`;
    case 'reordered':
      return 'the events were reordered after they were signed';
    case 're-chained':
      return 're-chained: events were changed after they were signed, and their hash chains recomputed';
    default:
      return 'events were changed after they were signed';
  }
}

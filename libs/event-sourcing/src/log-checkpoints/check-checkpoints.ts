import { checkpointDigest, type LogCheckpoint, parseCheckpoint } from './log-checkpoint';
import type { LogPublicKeys } from './log-keys';

export type EvidenceKind =
  | 'changed'
  | 'removed'
  | 'inserted'
  | 'reordered'
  | 're-chained'
  | 'truncated'
  | 'checkpoint-removed'
  | 'checkpoint-replaced'
  | 'checkpoint-invalid'
  | 'unknown-key';

/** A proof that the log or its checkpoints are not what was signed. */
export interface EvidenceFinding {
  readonly kind: EvidenceKind;
  readonly at: string;
  readonly text: string;
}

export interface CheckedCheckpoints {
  /** Those with a valid signature, by ascending number. */
  readonly trusted: readonly LogCheckpoint[];
  readonly findings: readonly EvidenceFinding[];
}

/**
 * Checks signatures and the chain of checkpoints, in the order in which a sink or the database has them. `place` is where
 * they are from, for the findings.
 */
export class CheckpointChain {
  private readonly trusted: LogCheckpoint[] = [];
  private readonly findings: EvidenceFinding[] = [];
  private readonly digests = new Map<number, string>();
  private lastNumber = 0;
  /** Undefined after an invalid checkpoint: then its successor cannot be compared. */
  private lastDigest: string | undefined = '';

  constructor(
    private readonly keys: LogPublicKeys,
    private readonly place: string,
  ) {}

  /** Adds what a line of a sink or a row of the database contains. */
  add(json: unknown, line: string): void {
    const checkpoint = parseCheckpoint(json);
    if (checkpoint === undefined) this.find('checkpoint-invalid', line, 'is not a log checkpoint');
    else this.addCheckpoint(checkpoint);
  }

  close(): CheckedCheckpoints {
    return { trusted: this.trusted, findings: this.findings };
  }

  private addCheckpoint(checkpoint: LogCheckpoint): void {
    const { number } = checkpoint;
    const digest = checkpointDigest(checkpoint);
    // A sink gets a checkpoint again if its confirmation was lost.
    if (this.digests.get(number) === digest && this.hasValidSignature(checkpoint)) return;
    const at = `checkpoint ${number}`;
    const isValid = this.checkSignature(checkpoint, at);
    if (number <= this.lastNumber) {
      const text = `follows checkpoint ${this.lastNumber}, so the checkpoints go backwards`;
      return this.find('checkpoint-replaced', at, text);
    }
    this.checkGap(number);
    const isNext = number === this.lastNumber + 1;
    const isTrusted = isValid && this.checkLink(checkpoint, isNext, at);
    this.lastNumber = number;
    this.lastDigest = isValid ? digest : undefined;
    if (!isTrusted) return;
    this.digests.set(number, digest);
    this.trusted.push(checkpoint);
  }

  private hasValidSignature(checkpoint: LogCheckpoint): boolean {
    return this.keys.get(checkpoint.keyId)?.verifies(checkpoint) === true;
  }

  private checkSignature(checkpoint: LogCheckpoint, at: string): boolean {
    const key = this.keys.get(checkpoint.keyId);
    if (key === undefined) {
      const text = `is signed with the unknown key ${checkpoint.keyId}. If the key is yours, pass its public key`;
      this.find('unknown-key', at, text);
      return false;
    }
    if (key.verifies(checkpoint)) return true;
    this.find('checkpoint-invalid', at, 'has a wrong signature: it was changed after it was signed, or forged');
    return false;
  }

  private checkGap(number: number): void {
    const first = this.lastNumber + 1;
    if (number === first) return;
    const isOne = number === first + 1;
    const at = isOne ? `checkpoint ${first}` : `checkpoints ${first} to ${number - 1}`;
    this.find('checkpoint-removed', at, isOne ? 'was removed' : 'were removed');
  }

  /** False for a checkpoint that cannot follow the others, although its signature is valid. */
  private checkLink(checkpoint: LogCheckpoint, isNext: boolean, at: string): boolean {
    if (isNext && this.lastDigest !== undefined && checkpoint.previous !== this.lastDigest) {
      const text = `does not continue checkpoint ${this.lastNumber}: one of them was replaced`;
      this.find('checkpoint-replaced', at, text);
    }
    const last = this.trusted.at(-1);
    if (last === undefined) return true;
    const { position, count, time } = checkpoint;
    // A checkpoint of another store signs the copy of the whole log, at its own positions.
    const isCopy = isNext && checkpoint.store !== last.store;
    if ((isCopy || (position > last.position && count > last.count)) && time >= last.time) return true;
    this.find('checkpoint-replaced', at, `goes backwards from checkpoint ${last.number}`);
    return false;
  }

  private find(kind: EvidenceKind, at: string, text: string): void {
    this.findings.push({ kind, at: `${at} ${this.place}`, text });
  }
}

/** All checkpoints that verify a log, with everything wrong about them. */
export function combineCheckpoints(stored: CheckedCheckpoints, inSink: CheckedCheckpoints): CheckedCheckpoints {
  const last = inSink.trusted.at(-1);
  const newer = stored.trusted.filter(
    ({ number, position, store }) =>
      last === undefined || (number > last.number && (position > last.position || store !== last.store)),
  );
  const findings = [...inSink.findings, ...stored.findings, ...compareWithSink(stored.trusted, inSink.trusted)];
  return { trusted: [...inSink.trusted, ...newer], findings };
}

/**
 * The checkpoints since the log was copied from another store, if it was; the first of them signs the copy. The positions in
 * earlier ones are those of that store, and they were compared with it before.
 */
export function sinceLastCopy(trusted: readonly LogCheckpoint[]): readonly LogCheckpoint[] {
  const store = trusted.at(-1)?.store;
  const lastOfOther = trusted.findLastIndex((checkpoint) => checkpoint.store !== store);
  return trusted.slice(lastOfOther + 1);
}

/** What the database lacks or has differently, compared with the sink. */
function compareWithSink(
  stored: readonly LogCheckpoint[],
  inSink: readonly LogCheckpoint[],
): readonly EvidenceFinding[] {
  const byNumber = new Map(stored.map((checkpoint) => [checkpoint.number, checkpoint]));
  const missing: number[] = [];
  const findings: EvidenceFinding[] = [];
  for (const checkpoint of inSink) {
    const { number } = checkpoint;
    const other = byNumber.get(number);
    if (other === undefined) missing.push(number);
    else if (checkpointDigest(other) !== checkpointDigest(checkpoint)) {
      const text = 'differs from the one in the sink: it was replaced';
      findings.push({ kind: 'checkpoint-replaced', at: `checkpoint ${number} in the database`, text });
    }
  }
  for (const [first, last] of rangesOf(missing)) {
    const at = first === last ? `checkpoint ${first}` : `checkpoints ${first} to ${last}`;
    const text = `${first === last ? 'was' : 'were'} removed or changed; the sink has ${first === last ? 'it' : 'them'}`;
    findings.push({ kind: 'checkpoint-removed', at: `${at} in the database`, text });
  }
  return findings;
}

function rangesOf(numbers: readonly number[]): readonly (readonly [first: number, last: number])[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

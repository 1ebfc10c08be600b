import { sha256 } from '@florin/kernel';
import type { LogState } from './log-digest';

/** What a signature covers: the state of the log, and the place of this checkpoint among all checkpoints. */
export interface UnsignedCheckpoint extends LogState {
  /** 1 for the first checkpoint of a log, without gaps. */
  readonly number: number;
  readonly time: string;
  /** The event store that has the log, such as `postgres`. */
  readonly store: string;
  /** The digest of the previous checkpoint, empty for the first one. */
  readonly previous: string;
  /** The fingerprint of the public key. */
  readonly keyId: string;
}

/** A signed statement about the whole log up to a position. */
export interface LogCheckpoint extends UnsignedCheckpoint {
  /** Ed25519 over `signedBytes`, base64. */
  readonly signature: string;
}

/** A checkpoint as JSON: positions can exceed the numbers that JSON parsers keep exactly. */
export interface CheckpointJson extends Omit<LogCheckpoint, 'position'> {
  readonly position: string;
  /** The public key of the signature (SPKI, base64), in sinks. A verifier decides itself which keys it trusts. */
  readonly publicKey?: string;
}

/** Separates these signatures from all other uses of the same key. */
const domainTag = 'florin log checkpoint v1';

/** One line per field in a fixed order. No field can contain a line break. */
export function signedBytes(checkpoint: UnsignedCheckpoint): Buffer {
  const { number, position, count, hash, contents, time, store, previous, keyId } = checkpoint;
  return Buffer.from([domainTag, number, position, count, hash, contents, time, store, previous, keyId].join('\n'));
}

/** Identifies the checkpoint in its successor. */
export function checkpointDigest(checkpoint: UnsignedCheckpoint): string {
  return sha256(signedBytes(checkpoint).toString());
}

export function toCheckpointJson(checkpoint: LogCheckpoint, publicKey?: string): CheckpointJson {
  const { number, position, count, hash, contents, time, store, previous, keyId, signature } = checkpoint;
  const fields = { number, position: String(position), count, hash, contents, time };
  return { ...fields, store, previous, keyId, signature, ...(publicKey !== undefined && { publicKey }) };
}

const hex = /^[0-9a-f]{64}$/;

/** The syntax of every field. What passes is signed or not, but unambiguous. */
const syntax: Readonly<Record<keyof LogCheckpoint, RegExp>> = {
  number: /^[1-9]\d{0,14}$/,
  position: /^[1-9]\d{0,19}$/,
  count: /^[1-9]\d{0,14}$/,
  hash: hex,
  contents: hex,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  store: /^[a-z-]{1,32}$/,
  previous: /^([0-9a-f]{64})?$/,
  keyId: /^[0-9a-f]{16}$/,
  signature: /^[A-Za-z0-9+/]{86}==$/,
};

/** Returns undefined for anything that is not a checkpoint. */
export function parseCheckpoint(json: unknown): LogCheckpoint | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const fields = json as Readonly<Record<string, unknown>>;
  const isValid = Object.entries(syntax).every(([name, pattern]) => {
    const value = fields[name];
    const expected = name === 'number' || name === 'count' ? 'number' : 'string';
    return typeof value === expected && pattern.test(String(value));
  });
  if (!isValid) return undefined;
  const { number, position, count, hash, contents, time, store, previous, keyId, signature } = json as CheckpointJson;
  return { number, position: BigInt(position), count, hash, contents, time, store, previous, keyId, signature };
}

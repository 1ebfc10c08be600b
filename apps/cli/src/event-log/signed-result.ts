import type { Finding } from '@florin/audit';
import type { LogPublicKeys, LogSigningKey } from '@florin/event-sourcing';
import { hash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CommandFailed } from '../cli-errors';

/** Separates these signatures from all other uses of the same key. */
const domainTag = 'florin check result v1';

export interface ResultFacts {
  readonly format: 1;
  readonly command: string;
  /** The state is that of one release. */
  readonly florinVersion: string;
  /** Null in a database that no service has opened yet. */
  readonly storeId: string | null;
  /** The only account that was audited. */
  readonly account: string | null;
  readonly time: string;
  /** All events up to here were read, by this run and those that it continued. */
  readonly position: string;
  readonly events: number;
  /** SHA-256 chained over these events, as in checkpoints. */
  readonly hash: string;
  /** The position of the result that the run continued from. Null if it has read the whole log. */
  readonly since: string | null;
  /** The read models were compared with the log up to here. Null if they were not compared. */
  readonly comparedTo: string | null;
  /** False if the run was interrupted. */
  readonly isComplete: boolean;
  readonly findings: readonly Finding[];
}

interface SignedFacts extends ResultFacts {
  /** Of the compressed state. */
  readonly stateSha256: string;
}

interface ResultSignature {
  readonly keyId: string;
  readonly signature: string;
}

export interface SignedResult {
  readonly facts: ResultFacts;
  readonly keyId: string;
  /** As `v8.deserialize` returns it: without classes. */
  readonly state: unknown;
}

/** One file: a line with the facts, a line with their signature, and the compressed state. */
export function writeSignedResult(file: string, facts: ResultFacts, state: unknown, key: LogSigningKey): void {
  // The fastest level: a state of a large log has hundreds of megabytes.
  const compressed = gzipSync(serialize(state), { level: 1 });
  const signed: SignedFacts = { ...facts, stateSha256: hash('sha256', compressed) };
  const text = JSON.stringify(signed);
  const signature: ResultSignature = { keyId: key.publicKey.id, signature: key.signText(domainTag, text) };
  const draft = `${file}.${process.pid}.new`;
  try {
    writeFileSync(draft, Buffer.concat([Buffer.from(`${text}\n${JSON.stringify(signature)}\n`), compressed]), {
      mode: 0o600,
    });
    renameSync(draft, file);
  } catch (error) {
    throw new CommandFailed(`The result cannot be written: ${(error as Error).message}`);
  }
}

/** Undefined if there is no such file. The state is read only if its signature is valid. */
export function readSignedResult(file: string, keys: LogPublicKeys): SignedResult | undefined {
  const bytes = contentOf(file);
  if (bytes === undefined) return undefined;
  const { text, signature, compressed } = partsOf(file, bytes);
  const key = keys.get(signature.keyId);
  if (key === undefined) {
    throw new CommandFailed(
      `${file} is signed with the unknown key ${signature.keyId}. If the key is yours, pass its public key with --public-key.`,
    );
  }
  const { stateSha256, ...facts } = JSON.parse(text) as SignedFacts;
  const isUnchanged = key.verifiesText(domainTag, text, signature.signature);
  if (!isUnchanged || hash('sha256', compressed) !== stateSha256) {
    throw new CommandFailed(`${file} was changed after it was signed. Run without --since.`);
  }
  return { facts, keyId: key.id, state: deserialize(gunzipSync(compressed)) };
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandFailed(`The result cannot be read: ${(error as Error).message}`);
  }
}

interface ResultParts {
  readonly text: string;
  readonly signature: ResultSignature;
  readonly compressed: Buffer;
}

function partsOf(file: string, bytes: Buffer): ResultParts {
  const first = bytes.indexOf('\n');
  const second = bytes.indexOf('\n', first + 1);
  try {
    if (first < 0 || second < 0) throw new Error('it has no signature');
    const text = bytes.toString('utf8', 0, first);
    const { format, stateSha256 } = JSON.parse(text) as Partial<SignedFacts>;
    const signature = JSON.parse(bytes.toString('utf8', first + 1, second)) as ResultSignature;
    if (format !== 1 || typeof stateSha256 !== 'string') throw new Error('it has another format');
    return { text, signature, compressed: bytes.subarray(second + 1) };
  } catch {
    throw new CommandFailed(`${file} is not a signed result of this release of Florin.`);
  }
}

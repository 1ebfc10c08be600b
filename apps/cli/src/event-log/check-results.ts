import type { Finding } from '@florin/audit';
import { type EvidenceState, LogSigningKey, type RecordedEvent, type ScanState } from '@florin/event-sourcing';
import { type Config, type EventLog, knownPublicKeys, openSigningKeys } from '@florin/runtime/tools';
import { readFileSync } from 'node:fs';
import { CommandFailed } from '../cli-errors';
import { readVersion } from '../version';
import type { CheckedLog } from './check-log';
import { parseKeys } from './checkpoint-source';
import { readSignedResult, type ResultFacts, type SignedResult, writeSignedResult } from './signed-result';

export interface ResultOptions {
  /** The file that gets the signed result. */
  readonly result?: string;
  /** The file with the result to continue from. */
  readonly since?: string;
  readonly signingKey?: string;
  readonly publicKey?: string;
}

/** What a result is about. Another run continues from it only if it is about the same. */
export interface ResultSubject {
  readonly command: 'verify' | 'audit';
  readonly account?: string;
}

/** What a run needs in order to continue. */
export interface CheckState<Own> {
  readonly own: Own;
  readonly evidence: EvidenceState;
  /** Findings that do not follow from the state: differences in read models, snapshots and stored checkpoints. */
  readonly carried: readonly Finding[];
}

export interface EarlierResult<Own> extends Omit<SignedResult, 'state'> {
  readonly state: CheckState<Own>;
}

export type WrittenFacts = Pick<ResultFacts, 'events' | 'comparedTo' | 'isComplete' | 'findings'>;

/** The signed result that a run continues from, and the one that it writes. */
export class CheckResults<Own extends { readonly scan: ScanState }> {
  private constructor(
    private readonly subject: ResultSubject,
    private readonly storeId: string | null,
    private readonly target: { readonly file: string; readonly key: LogSigningKey } | undefined,
    readonly earlier: EarlierResult<Own> | undefined,
    /** The position of the result in `--since`; null without one. */
    readonly since: string | null,
  ) {}

  /** Continues an interrupted run of the same command, or from the result in `--since`. */
  static open<Own extends { readonly scan: ScanState }>(
    subject: ResultSubject,
    options: ResultOptions,
    { storeId }: EventLog,
    config: Config,
  ): CheckResults<Own> {
    const { result, since } = options;
    if (result === undefined && since === undefined)
      return new CheckResults<Own>(subject, storeId, undefined, undefined, null);
    const isKeyNeeded = result !== undefined || options.signingKey !== undefined;
    const key = isKeyNeeded ? signingKeyOf(options.signingKey, config) : undefined;
    if (result !== undefined && key === undefined) {
      throw new CommandFailed('A result must be signed: set LOG_SIGNING_KEY, or pass --signing-key.');
    }
    const configured = options.publicKey === undefined ? knownPublicKeys(config) : parseKeys(options.publicKey);
    const keys = configured.with(key === undefined ? [] : [key.publicKey]);
    const read = (file: string): EarlierResult<Own> | undefined => {
      const found = readSignedResult(file, keys);
      if (found !== undefined && file === since) requireSame(file, found.facts, subject, storeId);
      return found as EarlierResult<Own> | undefined;
    };
    const base = since === undefined ? undefined : read(since);
    if (since !== undefined && base === undefined) {
      throw new CommandFailed(`There is no result ${since}. Run without --since first, with --result ${since}.`);
    }
    const sincePosition = base?.facts.position ?? null;
    const written = result === undefined || result === since ? undefined : read(result);
    const isInterrupted = written?.facts.isComplete === false && written.facts.since === sincePosition;
    if (isInterrupted) requireSame(result!, written.facts, subject, storeId);
    const earlier = isInterrupted ? written : base;
    const target = result === undefined ? undefined : { file: result, key: key! };
    return new CheckResults<Own>(subject, storeId, target, earlier, sincePosition);
  }

  get isWritten(): boolean {
    return this.target !== undefined;
  }

  /** What proves that the log is not the one of the earlier result; undefined if it can be continued. */
  async difference({ store }: EventLog): Promise<string | undefined> {
    if (this.earlier === undefined) return undefined;
    const { last } = this.earlier.state.own.scan;
    const { position } = this.earlier.facts;
    const head = await store.head();
    if (head < BigInt(position))
      return `the log ends at position ${head}, but the signed result has events up to ${position}`;
    if (last === undefined) return undefined;
    for await (const [found] of store.readStream(last.stream, last.revision)) {
      if (found !== undefined && isSame(found, last)) return undefined;
      break;
    }
    return `position ${last.position}: the event is not the one of the signed result, so the log was rewritten`;
  }

  /** Does nothing without `--result`. */
  write(saved: () => CheckState<Own>, facts: WrittenFacts): void {
    if (this.target === undefined) return;
    const { file, key } = this.target;
    const state = saved();
    const { command, account } = this.subject;
    const all: ResultFacts = {
      ...{ format: 1, command, florinVersion: readVersion(), storeId: this.storeId, account: account ?? null },
      ...{ time: new Date().toISOString(), position: String(state.own.scan.readTo), hash: state.evidence.digest.hash },
      ...{ since: this.since, ...facts },
    };
    writeSignedResult(file, all, state, key);
  }

  /** Writes what an interrupted run has read. Returns the message for the operator. */
  interrupted(saved: () => CheckState<Own>, { events, readTo }: ScanState): string | undefined {
    if (this.target === undefined || events === 0) return undefined;
    const comparedTo = this.earlier?.facts.comparedTo ?? null;
    this.write(saved, { events, comparedTo, isComplete: false, findings: [] });
    return `Interrupted at position ${readTo}. ${this.target.file} has the state so far: the same command continues there.`;
  }

  /** What a run that continues does not prove. */
  get notProven(): readonly string[] {
    if (this.earlier === undefined) return [];
    const { facts, keyId } = this.earlier;
    return [
      `Events up to position ${facts.position} were not read again: their findings are those of the result of ${facts.time}, ` +
        `signed with the key ${keyId}. A change in them since then is found only by a run without --since.`,
    ];
  }
}

function requireSame(
  file: string,
  facts: ResultFacts,
  { command, account }: ResultSubject,
  storeId: string | null,
): void {
  const refuse = (reason: string): never => {
    throw new CommandFailed(`${file} ${reason}.`);
  };
  const version = readVersion();
  if (facts.command !== command) refuse(`is a result of florin ${facts.command}, not of florin ${command}`);
  if (facts.florinVersion !== version) {
    refuse(`was written by Florin ${facts.florinVersion}, and this is ${version}. Run without --since once`);
  }
  if (facts.account !== (account ?? null))
    refuse(`is about ${facts.account ?? 'all accounts'}, not ${account ?? 'all accounts'}`);
  if (facts.storeId !== storeId)
    refuse('is about another event store. Check DATABASE_URL, FLORIN_DATA_DIR and EVENTSTORE_URL');
}

/** A log that is not the one of the signed result. */
export function logDiffers(difference: string): CheckedLog {
  const failure = new CommandFailed(`Found tampering: ${difference}. Run without --since for details.`, { difference });
  return { events: 0, findings: 1, failure };
}

/** The earlier findings that are not among the new ones. */
export function notRepeated(earlier: readonly Finding[], found: readonly Finding[]): readonly Finding[] {
  const keys = new Set(found.map(({ at, text }) => `${at}: ${text}`));
  return earlier.filter(({ at, text }) => !keys.has(`${at}: ${text}`));
}

const fields = ['position', 'stream', 'revision', 'id', 'type', 'data', 'metadata'] as const;

function isSame(one: RecordedEvent, other: RecordedEvent): boolean {
  return fields.every((field) => one[field] === other[field]);
}

/** The key in the file, or the one that signs checkpoints; undefined if there is none. */
export function signingKeyOf(file: string | undefined, config: Config): LogSigningKey | undefined {
  if (file === undefined) return openSigningKeys(config)?.key;
  try {
    return LogSigningKey.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandFailed(`--signing-key: ${(error as Error).message}`);
  }
}

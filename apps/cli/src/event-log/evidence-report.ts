import {
  type EvidenceFinding,
  type EvidenceResult,
  type EvidenceState,
  LogEvidence,
  metadataOf,
  type RecordedEvent,
  sinceLastCopy,
} from '@florin/event-sourcing';
import type { Config, EventLog } from '@florin/runtime/tools';
import { type EvidenceOptions, loadCheckpoints, type LoadedCheckpoints } from './checkpoint-source';

/** What the signed checkpoints prove about the log, and what they do not. */
export interface EvidenceReport {
  /** The number of valid checkpoints. */
  readonly checkpoints: number;
  /** The last position that is signed. */
  readonly coveredTo: string;
  readonly findings: readonly EvidenceFinding[];
  readonly notProven: readonly string[];
}

/** The results of a run that may continue another one. */
interface EvidenceContext {
  readonly isWritten: boolean;
  readonly earlier: { readonly state: { readonly evidence: EvidenceState } } | undefined;
}

/** Checks the events of one scan of the log. Open it before the scan, so that no checkpoint is newer than the scan. */
export class EvidenceCheck {
  private constructor(
    private readonly loaded: LoadedCheckpoints | undefined,
    readonly evidence: LogEvidence | undefined,
  ) {}

  static async open(
    options: EvidenceOptions,
    eventLog: EventLog,
    config: Config,
    { isWritten, earlier }: EvidenceContext,
  ): Promise<EvidenceCheck> {
    const { checkpoints } = options;
    const loaded =
      checkpoints === undefined ? undefined : await loadCheckpoints({ ...options, checkpoints }, eventLog, config);
    const isNeeded = loaded !== undefined || isWritten || earlier !== undefined;
    const evidence = isNeeded
      ? new LogEvidence(sinceLastCopy(loaded?.trusted ?? []), earlier?.state.evidence)
      : undefined;
    return new EvidenceCheck(loaded, evidence);
  }

  /** Findings about the checkpoints themselves, which do not follow from the state. */
  get checkpointFindings(): readonly EvidenceFinding[] {
    return this.loaded?.findings ?? [];
  }

  close(): EvidenceReport {
    const { loaded, evidence } = this;
    const result = evidence?.close();
    if (loaded === undefined || result === undefined) {
      const found = result?.findings ?? [];
      return { checkpoints: 0, coveredTo: '0', findings: found, notProven: [withoutCheckpoints] };
    }
    const { findings, coveredTo } = result;
    return {
      checkpoints: loaded.trusted.length,
      coveredTo: String(coveredTo),
      findings: [...loaded.findings, ...findings],
      notProven: notProven(loaded, result),
    };
  }
}

const withoutCheckpoints =
  'Hash chains have no key: without --checkpoints, a log that was rewritten with new hashes, or cut off at its end, passes.';

const withoutSink =
  'Without a sink outside the database: an administrator of the database can remove the newest events together with their checkpoints, or remove all checkpoints and let Florin sign a rewritten log.';

function notProven(
  { hasSink, trustsSink, sinkBehind, trusted }: LoadedCheckpoints,
  result: Pick<EvidenceResult, 'uncovered' | 'firstUncovered'>,
): string[] {
  return [
    ...(hasSink ? [] : [withoutSink]),
    ...(trustsSink
      ? ['The key is the one in the sink. Pass --public-key to prove that the checkpoints are yours.']
      : []),
    ...(sinkBehind > 0 ? [`The sink does not have the newest ${sinkBehind} checkpoints of the database.`] : []),
    ...beforeCopyText(trusted),
    ...(trusted.length === 0 ? ['There is no valid checkpoint.'] : []),
    ...(result.uncovered > 0 ? [unsignedText(result)] : []),
  ];
}

function beforeCopyText(trusted: LoadedCheckpoints['trusted']): readonly string[] {
  const number = trusted.length - sinceLastCopy(trusted).length;
  const last = trusted[number - 1];
  if (last === undefined) return [];
  return [
    `The checkpoints up to ${last.number} were signed for the log in another event store (${last.store}), and compared when it was ` +
      `copied. Of these, only signatures and order were verified now; checkpoint ${last.number + 1} signs the copy.`,
  ];
}

/** Events are signed within seconds. Older ones without a signature mean that the signer does not run. */
const signedWithinMs = 60_000;

function unsignedText({ uncovered, firstUncovered }: Pick<EvidenceResult, 'uncovered' | 'firstUncovered'>): string {
  const recordedAt = firstUncovered === undefined ? undefined : recordedAtOf(firstUncovered);
  if (recordedAt === undefined || Date.now() - Date.parse(recordedAt) < signedWithinMs) {
    return `The last ${uncovered} events are not signed yet.`;
  }
  return (
    `The last ${uncovered} events, from position ${firstUncovered!.position} on, are not signed, although the first is from ` +
    `${recordedAt}: the signer does not run, or someone stopped it. Start Florin; if this remains, its log has the reason.`
  );
}

/** Undefined if the metadata is not what Florin writes, which the hash chain reports. */
function recordedAtOf(event: RecordedEvent): string | undefined {
  try {
    const { recordedAt } = metadataOf(event);
    return Number.isNaN(Date.parse(recordedAt)) ? undefined : recordedAt;
  } catch {
    return undefined;
  }
}

export function notProvenText(notProvenItems: readonly string[]): string {
  return notProvenItems.length === 0 ? '' : `\nNot proven:\n${notProvenItems.map((item) => `  - ${item}`).join('\n')}`;
}

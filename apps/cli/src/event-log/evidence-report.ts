import { type EvidenceFinding, LogEvidence } from '@florin/event-sourcing';
import type { Config, EventLog } from '@florin/runtime';
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

/** Checks the events of one scan of the log. Open it before the scan, so that no checkpoint is newer than the scan. */
export class EvidenceCheck {
  private constructor(
    private readonly loaded: LoadedCheckpoints | undefined,
    readonly evidence: LogEvidence | undefined,
  ) {}

  static async open(options: EvidenceOptions, eventLog: EventLog, config: Config): Promise<EvidenceCheck> {
    const { checkpoints } = options;
    if (checkpoints === undefined) return new EvidenceCheck(undefined, undefined);
    const loaded = await loadCheckpoints({ ...options, checkpoints }, eventLog, config);
    return new EvidenceCheck(loaded, new LogEvidence(loaded.trusted));
  }

  close(): EvidenceReport {
    const { loaded, evidence } = this;
    if (loaded === undefined || evidence === undefined) {
      return { checkpoints: 0, coveredTo: '0', findings: [], notProven: [withoutCheckpoints] };
    }
    const { findings, coveredTo, uncovered } = evidence.close();
    return {
      checkpoints: loaded.trusted.length,
      coveredTo: String(coveredTo),
      findings: [...loaded.findings, ...findings],
      notProven: notProven(loaded, uncovered),
    };
  }
}

const withoutCheckpoints =
  'Hash chains have no key: without --checkpoints, a log that was rewritten with new hashes, or cut off at its end, passes.';

const withoutSink =
  'Without a sink outside the database: an administrator of the database can remove the newest events together with their checkpoints, or remove all checkpoints and let Florin sign a rewritten log.';

function notProven({ hasSink, trustsSink, sinkBehind, trusted }: LoadedCheckpoints, uncovered: number): string[] {
  return [
    ...(hasSink ? [] : [withoutSink]),
    ...(trustsSink
      ? ['The key is the one in the sink. Pass --public-key to prove that the checkpoints are yours.']
      : []),
    ...(sinkBehind > 0 ? [`The sink does not have the newest ${sinkBehind} checkpoints of the database.`] : []),
    ...(trusted.length === 0 ? ['There is no valid checkpoint.'] : []),
    ...(uncovered > 0 ? [`The last ${uncovered} events are not signed yet.`] : []),
  ];
}

export function notProvenText(notProvenItems: readonly string[]): string {
  return notProvenItems.length === 0 ? '' : `\nNot proven:\n${notProvenItems.map((item) => `  - ${item}`).join('\n')}`;
}

import { brokenChain, describeMissing, type Finding } from '@florin/audit';
import {
  newVerification,
  restoredVerification,
  type ScanProgress,
  type VerificationState,
  verifyLog,
} from '@florin/event-sourcing';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { archivedText, checkArchiveOf, damagedArchive } from './archive-check';
import { checkLog, type CheckOptions } from './check-log';
import { CheckResults, type CheckState, logDiffers, notRepeated, type ResultOptions } from './check-results';
import type { EvidenceOptions } from './checkpoint-source';
import { EvidenceCheck, type EvidenceReport, notProvenText } from './evidence-report';
import { emptyLog } from './with-event-log';

/** Reads the database directly: the result must not depend on a running service. */
export function runVerify(context: CliContext, options: EvidenceOptions & CheckOptions & ResultOptions): Promise<void> {
  const command = { name: 'verify', verb: 'Verified' };
  return checkLog(context, command, options, async ({ eventLog, config, progress, signal, onInterrupted }) => {
    const archive = await checkArchiveOf(eventLog, config);
    if (archive.problems.length > 0) return damagedArchive(archive);
    const results = CheckResults.open<VerificationState>({ command: 'verify' }, options, eventLog, config);
    const difference = await results.difference(eventLog);
    if (difference !== undefined) return logDiffers(difference);
    const state = results.earlier === undefined ? newVerification() : restoredVerification(results.earlier.state.own);
    const check = await EvidenceCheck.open(options, eventLog, config, results);
    const carried = (): readonly Finding[] =>
      notRepeated(results.earlier?.state.carried ?? [], check.checkpointFindings);
    const saved = (): CheckState<VerificationState> => ({
      ...{ own: state, evidence: check.evidence!.state, carried: [...check.checkpointFindings, ...carried()] },
    });
    onInterrupted(() => results.interrupted(saved, state.scan));
    progress.continueFrom(state.scan);
    const report = (scanned: ScanProgress): void => {
      signal.throwIfAborted();
      progress.scanned(scanned);
    };
    const { events, streams, broken, missing } = await verifyLog(
      eventLog.store,
      report,
      undefined,
      check.evidence,
      state,
    );
    const closed = check.close();
    const evidence = { ...closed, notProven: [...results.notProven, ...closed.notProven] };
    const found: readonly Finding[] = [
      ...broken.map(({ stream, revision, position }) => ({
        ...{ at: `${stream}@${revision} (position ${position})`, text: brokenChain },
      })),
      ...missing.map(describeMissing),
      ...evidence.findings.map(({ at, text }) => ({ at, text })),
      ...carried(),
    ];
    if (events === 0 && found.length === 0) throw emptyLog('verify');
    results.write(saved, { events, comparedTo: null, isComplete: true, findings: found });
    if (found.length > 0) {
      const lines = found.map(({ at, text }) => `${at}: ${text}`);
      const text = `Found tampering in ${events} events:\n  ${lines.join('\n  ')}`;
      const failure = new CommandFailed(`${text}${notProvenText(evidence.notProven)}`, {
        broken: broken.map(({ stream, revision, position }) => ({ stream, revision, position: String(position) })),
        missing: missing.map(({ from, to }) => ({ from: String(from), to: String(to) })),
        ...{ evidence, carried: carried(), since: results.since },
      });
      return { events, findings: found.length, failure };
    }
    const result = { events, streams, broken: [], missing: [], evidence, carried: [], since: results.since, archive };
    const summary = `Verified ${events} events in ${streams} streams${archivedText(archive)}. No tampering found.`;
    progress.close();
    context.output(result, `${summary}${signedText(evidence)}${notProvenText(evidence.notProven)}`);
    return { events, findings: 0 };
  });
}

function signedText({ checkpoints, coveredTo }: EvidenceReport): string {
  if (checkpoints === 0) return '';
  const noun = checkpoints === 1 ? 'checkpoint' : 'checkpoints';
  return `\nIt matches ${checkpoints} signed ${noun}, up to position ${coveredTo}.`;
}

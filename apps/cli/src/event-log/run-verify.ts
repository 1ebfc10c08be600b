import { brokenChain, describeMissing } from '@florin/audit';
import { type ScanProgress, verifyLog } from '@florin/event-sourcing';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { checkLog, type CheckOptions } from './check-log';
import type { EvidenceOptions } from './checkpoint-source';
import { EvidenceCheck, type EvidenceReport, notProvenText } from './evidence-report';
import { emptyLog } from './with-event-log';

/** Reads the database directly: the result must not depend on a running service. */
export function runVerify(context: CliContext, options: EvidenceOptions & CheckOptions): Promise<void> {
  const command = { name: 'verify', verb: 'Verified' };
  return checkLog(context, command, options, async ({ eventLog, config, progress, signal }) => {
    const check = await EvidenceCheck.open(options, eventLog, config);
    const report = (scanned: ScanProgress): void => {
      signal.throwIfAborted();
      progress.scanned(scanned);
    };
    const { events, streams, broken, missing } = await verifyLog(eventLog.store, report, undefined, check.evidence);
    const evidence = check.close();
    const findings = [
      ...broken.map(({ stream, revision, position }) => `${stream}@${revision} (position ${position}): ${brokenChain}`),
      ...[...missing.map(describeMissing), ...evidence.findings].map(({ at, text }) => `${at}: ${text}`),
    ];
    if (findings.length > 0) {
      const text = `Found tampering in ${events} events:\n  ${findings.join('\n  ')}`;
      const failure = new CommandFailed(`${text}${notProvenText(evidence.notProven)}`, {
        broken: broken.map(({ stream, revision, position }) => ({ stream, revision, position: String(position) })),
        missing: missing.map(({ from, to }) => ({ from: String(from), to: String(to) })),
        evidence,
      });
      return { events, findings: findings.length, failure };
    }
    if (events === 0) throw emptyLog('verify');
    const result = { events, streams, broken: [], missing: [], evidence };
    const summary = `Verified ${events} events in ${streams} streams. No tampering found.`;
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

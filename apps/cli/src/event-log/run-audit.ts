import { auditLog, type Finding, newAudit, restoredAudit, storedAudit, type StoredAudit } from '@florin/audit';
import { createPool } from '@florin/database';
import type { MoneyText } from '@florin/kernel';
import { accountOwnerOf } from '@florin/read-models/tools';
import type { Pool } from 'pg';
import { auditReport } from '../audit/audit-report';
import { auditText } from '../audit/audit-text';
import { CopiesComparison } from '../audit/compare-copies';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { type CheckedLog, checkLog, type CheckOptions, type CheckRuntime } from './check-log';
import { CheckResults, type CheckState, logDiffers, notRepeated, type ResultOptions } from './check-results';
import type { EvidenceOptions } from './checkpoint-source';
import { EvidenceCheck } from './evidence-report';
import { emptyLog } from './with-event-log';

export interface AuditArguments extends EvidenceOptions, CheckOptions, ResultOptions {
  readonly account?: string;
  readonly fourEyesAmount?: MoneyText;
}

/** Two pages are in memory at once, and the garbage collector copies them. */
const pageSize = 1_000;

/** Reads the database directly: the result must not depend on a running service. */
export function runAudit(context: CliContext, options: AuditArguments): Promise<void> {
  const command = { name: 'audit', verb: 'Audited' };
  return checkLog(context, command, options, async (runtime) => {
    const pool = createPool(runtime.eventLog.connection, { max: 1 });
    try {
      return await audit(context, options, runtime, pool);
    } finally {
      await pool.end();
    }
  });
}

async function audit(
  context: CliContext,
  options: AuditArguments,
  { eventLog, config, progress, signal, onInterrupted }: CheckRuntime,
  pool: Pool,
): Promise<CheckedLog> {
  const { account, fourEyesAmount = config.FOUR_EYES_AMOUNT } = options;
  const stream = account === undefined ? undefined : `account-${account}`;
  const results = CheckResults.open<StoredAudit>({ command: 'audit', account }, options, eventLog, config);
  const difference = await results.difference(eventLog);
  if (difference !== undefined) return logDiffers(difference);
  const { earlier } = results;
  const state = earlier === undefined ? newAudit(stream) : restoredAudit(earlier.state.own);
  const check = await EvidenceCheck.open(options, eventLog, config, results);
  const known: Finding[] = [...check.checkpointFindings];
  const carried = () => notRepeated(earlier?.state.carried ?? [], known);
  const saved = (): CheckState<StoredAudit> => ({
    ...{ own: storedAudit(state), evidence: check.evidence!.state, carried: [...known, ...carried()] },
  });
  onInterrupted(() => results.interrupted(saved, state.scan));
  progress.continueFrom(state.scan);
  const comparedTo = earlier?.facts.comparedTo ?? undefined;
  const comparison = await CopiesComparison.start(eventLog.store, pool, {
    account: stream,
    owner: stream === undefined ? undefined : accountOwnerOf(stream),
    isContinued: earlier !== undefined,
    comparedTo: comparedTo === undefined ? undefined : BigInt(comparedTo),
  });
  const audited = await auditLog(eventLog.store, {
    ...{ account: stream, fourEyesAmount, evidence: check.evidence, state, pageSize },
    visit: (event) => comparison.add(event),
    report: (scanned) => {
      signal.throwIfAborted();
      progress.scanned(scanned);
      return comparison.afterPage();
    },
  });
  if (audited.events === 0 && account !== undefined) throw noAccount(account);
  progress.continuedWith('Comparing the read models and the snapshots with the log');
  const compared = await comparison.finish(audited);
  known.push(...compared.snapshotFlaws, ...compared.readModels.flatMap(({ flaws }) => flaws));
  const closed = check.close();
  const evidence = { ...closed, notProven: [...results.notProven, ...compared.notProven, ...closed.notProven] };
  const report = auditReport(audited, { ...compared, carried: carried() }, account, evidence, results.since);
  const findings = report.flaws.length;
  if (audited.events === 0 && findings === 0) throw emptyLog('audit');
  results.write(saved, {
    events: audited.events,
    comparedTo: compared.comparedTo === undefined ? null : String(compared.comparedTo),
    isComplete: true,
    findings: report.flaws.map(({ at, text }) => ({ at, text })),
  });
  progress.close();
  context.output(report, auditText(report));
  return { events: audited.events, findings };
}

function noAccount(account: string): CommandFailed {
  return new CommandFailed(
    `The log has no account ${account}. Use a company ID and an environment, such as <company-id>-sandbox.`,
  );
}

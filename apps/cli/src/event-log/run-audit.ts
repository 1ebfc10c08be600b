import { auditLog } from '@florin/audit';
import { createPool } from '@florin/database';
import type { MoneyText } from '@florin/kernel';
import { auditReport } from '../audit/audit-report';
import { auditText } from '../audit/audit-text';
import { compareReadModels } from '../audit/compare-read-models';
import { compareSnapshots } from '../audit/compare-snapshots';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import type { EvidenceOptions } from './checkpoint-source';
import { EvidenceCheck } from './evidence-report';
import { emptyLog, withEventLog } from './with-event-log';

export interface AuditArguments extends EvidenceOptions {
  readonly account?: string;
  readonly fourEyesAmount?: MoneyText;
}

/** Reads the database directly: the result must not depend on a running service. */
export function runAudit(
  context: CliContext,
  { account, fourEyesAmount, ...evidenceOptions }: AuditArguments,
): Promise<void> {
  const stream = account === undefined ? undefined : `account-${account}`;
  return withEventLog(context.environment, { migrate: false, role: 'auditor' }, async (eventLog, config) => {
    const { store, checkpoints, connection } = eventLog;
    const check = await EvidenceCheck.open(evidenceOptions, eventLog, config);
    const audit = await auditLog(store, {
      account: stream,
      fourEyesAmount: fourEyesAmount ?? config.FOUR_EYES_AMOUNT,
      evidence: check.evidence,
      report: ({ events, readTo, head }) => {
        context.report(`Audited ${events} events, up to position ${readTo} of ${head}`);
      },
    });
    if (audit.events === 0 && account !== undefined) {
      throw new CommandFailed(
        `The log has no account ${account}. Use a company ID and an environment, such as <company-id>-sandbox.`,
      );
    }
    const pool = createPool(connection, { max: 1 });
    try {
      const readModels = await compareReadModels(audit, { store, checkpoints, pool }, stream);
      const snapshotFlaws = await compareSnapshots(store, pool, stream);
      const report = auditReport(audit, { readModels, snapshotFlaws }, account, check.close());
      const hasFlaws = report.flaws.length > 0;
      if (audit.events === 0 && !hasFlaws) throw emptyLog('audit');
      context.output(report, auditText(report));
      if (hasFlaws) context.exitCode = 1;
    } finally {
      await pool.end();
    }
  });
}

import { auditLog } from '@florin/audit';
import { createPool } from '@florin/database';
import type { MoneyText } from '@florin/kernel';
import { accountOwnerOf, ReadModelsComparison } from '@florin/read-models';
import { auditReport } from '../audit/audit-report';
import { auditText } from '../audit/audit-text';
import { compareReadModels } from '../audit/compare-read-models';
import { compareSnapshots } from '../audit/compare-snapshots';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { checkLog, type CheckOptions } from './check-log';
import type { EvidenceOptions } from './checkpoint-source';
import { EvidenceCheck } from './evidence-report';
import { emptyLog } from './with-event-log';

export interface AuditArguments extends EvidenceOptions, CheckOptions {
  readonly account?: string;
  readonly fourEyesAmount?: MoneyText;
}

/** Reads the database directly: the result must not depend on a running service. */
export function runAudit(context: CliContext, options: AuditArguments): Promise<void> {
  const { account, fourEyesAmount } = options;
  const stream = account === undefined ? undefined : `account-${account}`;
  const command = { name: 'audit', verb: 'Audited' };
  return checkLog(context, command, options, async ({ eventLog, config, progress, signal }) => {
    const { store, connection } = eventLog;
    const check = await EvidenceCheck.open(options, eventLog, config);
    const pool = createPool(connection, { max: 1 });
    try {
      const owner = stream === undefined ? undefined : accountOwnerOf(stream);
      const comparison = await ReadModelsComparison.start(pool, owner);
      const audit = await auditLog(store, {
        account: stream,
        fourEyesAmount: fourEyesAmount ?? config.FOUR_EYES_AMOUNT,
        evidence: check.evidence,
        visit: (event) => comparison.add(event),
        report: (scanned) => {
          signal.throwIfAborted();
          progress.scanned(scanned);
          return comparison.afterPage();
        },
      });
      if (audit.events === 0 && account !== undefined) {
        throw new CommandFailed(
          `The log has no account ${account}. Use a company ID and an environment, such as <company-id>-sandbox.`,
        );
      }
      progress.continuedWith('Comparing the read models and the snapshots with the log');
      const readModels = await compareReadModels(audit, comparison, { store, pool }, stream);
      const snapshotFlaws = await compareSnapshots(store, pool, stream);
      const report = auditReport(audit, { readModels, snapshotFlaws }, account, check.close());
      const findings = report.flaws.length;
      if (audit.events === 0 && findings === 0) throw emptyLog('audit');
      progress.close();
      context.output(report, auditText(report));
      return { events: audit.events, findings };
    } finally {
      await pool.end();
    }
  });
}

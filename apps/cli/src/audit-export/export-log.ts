import { auditLog, type Finding, type LogAudit } from '@florin/audit';
import { categoryOf, LogDigest, type Position, type ScannableStore, type ScanProgress } from '@florin/event-sourcing';
import { accountEntriesIn, accountOwnerOf, FoldedReadModels } from '@florin/read-models/tools';
import type { MoneyText } from '@florin/kernel';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from '../cli-errors';
import { Erasures } from './erasures';
import type { ExportReport } from './export-report';
import { type ExportScope, exportTables, isInScope, statementColumns, statementRow } from './export-tables';
import type { Manifest } from './manifest';
import { reportPage } from './report-page';
import { scopedFindings } from './scoped-findings';
import { StatementTotals } from './statement-totals';
import { TableFiles } from './table-files';

export interface ExportOptions extends ExportScope {
  readonly folder: string;
  readonly asOf: string;
  readonly end: Position;
  readonly fourEyesAmount: MoneyText | undefined;
  readonly checkpoint: Manifest['log']['checkpoint'];
  readonly report: (progress: ScanProgress) => void;
}

/** Writes all files but the manifest. Everything follows from the log up to `end`. */
export async function exportLog(store: ScannableStore, options: ExportOptions): Promise<ExportReport> {
  const { folder, asOf, end, company, environment, checkpoint } = options;
  createFolder(folder);
  const models = new FoldedReadModels();
  const digest = new LogDigest();
  const statements = new TableFiles(folder, 'statements', statementColumns);
  const totals = new StatementTotals();
  const erasures = new Erasures(options);
  const audit = await auditLog(logUpTo(store, end), {
    fourEyesAmount: options.fourEyesAmount,
    report: options.report,
    visit: (event) => {
      digest.add(event);
      models.apply(event);
      erasures.add(event);
      if (categoryOf(event.stream) !== 'account' || !isInScope(accountOwnerOf(event.stream), options)) return;
      for (const row of accountEntriesIn(event).map(statementRow)) {
        statements.add(row);
        totals.add(row);
      }
    },
  });
  models.complete();
  statements.close();
  const tables = [...exportTables(audit, models, options), erasures.table];
  for (const { name, columns, rows } of tables) {
    const files = new TableFiles(folder, name, columns);
    for (const row of rows) files.add(row);
    files.close();
  }
  const report: ExportReport = {
    format: 1,
    asOf,
    company: company ?? null,
    environment: environment ?? null,
    log: { position: String(end), events: digest.count, hash: digest.state.hash, checkpoint },
    totals: totals.all,
    rows: { ...Object.fromEntries(tables.map(({ name, rows }) => [name, rows.length])), statements: statements.count },
    findings: scopedFindings(findingsIn(audit), audit, models, options),
  };
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`, { flag: 'wx' });
  writeFileSync(join(folder, 'report.html'), reportPage(report, tables), { flag: 'wx' });
  return report;
}

function findingsIn({ flaws, ledger }: LogAudit): readonly Finding[] {
  const unbalanced = [...ledger.accounts.values()].flatMap(({ stream, sums }) => {
    const { deposited, adjusted, refunded, captured, fees, available, held } = sums;
    if (deposited + adjusted + refunded === captured + fees + available + held) return [];
    return [{ at: stream, text: 'the trial balance does not add up' }];
  });
  return [...flaws, ...unbalanced];
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    throw new CommandFailed(`The folder cannot be written: ${(error as Error).message}`);
  }
  throw new CommandFailed(`The folder ${folder} is not empty. Use a new one for --out.`);
}

/** The log up to this position, as if nothing had been written after it. */
function logUpTo(store: ScannableStore, end: Position): ScannableStore {
  return {
    hasGaplessPositions: store.hasGaplessPositions,
    head: async () => end,
    readAll: (options) => store.readAll(options),
  };
}

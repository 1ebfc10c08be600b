import type { AsOf } from '@florin/audit';
import { PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import { createPool } from '@florin/database';
import {
  type CheckpointJson,
  LogPublicKeys,
  type LogSigningKey,
  type Position,
  toCheckpointJson,
} from '@florin/event-sourcing';
import type { MoneyText } from '@florin/kernel';
import type { EventLog } from '@florin/runtime/tools';
import { existsSync, readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { exportLog } from '../audit-export/export-log';
import type { ExportReport } from '../audit-export/export-report';
import type { ExportScope } from '../audit-export/export-tables';
import { checkManifest, writeManifest } from '../audit-export/manifest';
import { checkStatements } from '../audit-export/check-statements';
import type { CliContext } from '../cli-context';
import { CommandFailed, UsageError } from '../cli-errors';
import { endOfLog, readAsOf } from './as-of';
import { checkLog, type CheckOptions } from './check-log';
import { signingKeyOf } from './check-results';
import { emptyLog } from './with-event-log';

export interface AuditExportArguments extends ExportScope, CheckOptions {
  readonly asOf: string;
  readonly out: string;
  readonly signingKey?: string;
  readonly fourEyesAmount?: MoneyText;
}

/** Writes what the log says about a past moment. The same command gives the same bytes later. */
export function runAuditExport(context: CliContext, options: AuditExportArguments): Promise<void> {
  const { out, company, environment, fourEyesAmount } = options;
  const asOf = readAsOf('--as-of', options.asOf);
  if (asOf.before !== undefined) checkIsPast(asOf.before, new Date());
  const command = { name: 'audit', verb: 'Read' };
  return checkLog(context, command, options, async ({ eventLog, config, progress, signal }) => {
    const key = signingKeyOf(options.signingKey, config);
    if ((await eventLog.store.head()) === 0n) throw emptyLog('export');
    const end = await endOfLog(eventLog.store, asOf);
    const checkpoint = await coveringCheckpoint(eventLog, end);
    const report = await exportLog(eventLog.store, {
      ...{ folder: out, asOf: asOfText(asOf), end, company, environment, checkpoint },
      fourEyesAmount: fourEyesAmount ?? config.FOUR_EYES_AMOUNT,
      report: (scanned) => {
        signal.throwIfAborted();
        progress.scanned(scanned);
      },
    });
    const { totals: _, rows: __, findings, format: ___, ...facts } = report;
    await writeManifest(out, facts, key);
    progress.close();
    context.output({ ...report, signedBy: key?.publicKey.id ?? null }, exportText(report, out, key));
    return { events: report.log.events, findings: findings.length };
  });
}

/** Verifies an export without a database. */
export async function runAuditCheck(
  context: CliContext,
  folder: string,
  { publicKey }: { readonly publicKey?: string },
): Promise<void> {
  if (!existsSync(folder)) throw new CommandFailed(`There is no folder ${folder}.`);
  const trusted = publicKey === undefined ? new LogPublicKeys([]) : publicKeys(publicKey);
  const { manifest, problems, signedBy } = await checkManifest(folder, trusted);
  const all = [...problems, ...(manifest === undefined || problems.length > 0 ? [] : await checkStatements(folder))];
  const signature =
    signedBy === undefined
      ? 'It is not signed.'
      : `It is signed with the key ${signedBy.keyId}${signedBy.isTrusted ? '' : ', which is in the folder itself: pass --public-key to prove that it is yours'}.`;
  const text =
    all.length === 0
      ? `The export as of ${manifest!.asOf} is unchanged: ${manifest!.files.length} files. ${signature}`
      : `PROBLEMS FOUND: ${all.length}\n${all.map((problem) => `  ${problem}`).join('\n')}`;
  context.output({ asOf: manifest?.asOf ?? null, problems: all, signedBy: signedBy ?? null }, text);
  if (all.length > 0) context.exitCode = 1;
}

/** In this time an append that has begun is visible. */
const writtenWithinMs = 60_000;

export function checkIsPast(before: Date, now: Date): void {
  if (before.getTime() <= now.getTime() - writtenWithinMs) return;
  throw new UsageError(
    `--as-of ${lastMoment(before)} is not at least a minute ago: events up to then may still be written, and the result would change.`,
  );
}

/** Times are stored in milliseconds. */
function lastMoment(before: Date): string {
  return new Date(before.getTime() - 1).toISOString();
}

function asOfText({ position, before }: AsOf): string {
  return before === undefined ? `position ${position}` : lastMoment(before);
}

async function coveringCheckpoint({ connection }: EventLog, end: Position): Promise<CheckpointJson | null> {
  const pool: Pool = createPool(connection, { max: 1 });
  try {
    const checkpoint = await new PostgresLogCheckpoints(pool).covering(end);
    return checkpoint === undefined ? null : toCheckpointJson(checkpoint);
  } finally {
    await pool.end();
  }
}

function publicKeys(source: string): LogPublicKeys {
  try {
    return LogPublicKeys.parse(existsSync(source) ? readFileSync(source, 'utf8') : source);
  } catch (error) {
    throw new CommandFailed(`--public-key ${(error as Error).message}`);
  }
}

function exportText({ asOf, log, rows, findings }: ExportReport, out: string, key: LogSigningKey | undefined): string {
  const counts = Object.entries(rows).map(([name, count]) => `  ${name}: ${count}`);
  const signature =
    key === undefined
      ? 'It is not signed: set LOG_SIGNING_KEY or pass --signing-key.'
      : `It is signed with the key ${key.publicKey.id}.`;
  const problems = findings.map(({ at, text }) => `  ${at}: ${text}`);
  return [
    `Exported the log as of ${asOf} to ${out}: ${log.events} events, up to position ${log.position}.`,
    ...counts,
    ...(log.checkpoint === null ? ['No signed checkpoint covers this position yet.'] : []),
    signature,
    ...(findings.length === 0
      ? ['No problems found in the log.']
      : [`PROBLEMS FOUND: ${findings.length}`, ...problems]),
  ].join('\n');
}

import { createPool } from '@florin/database';
import { ArchiveUnavailable } from '@florin/event-sourcing';
import { archiveClosedStreams, type ArchiveProgress, type ArchiveRun } from '@florin/event-store-postgres';
import { archiveDirectory, type Config, type EventLog, knownSigningKey } from '@florin/runtime/tools';
import { resolve } from 'node:path';
import type { CliContext } from '../cli-context';
import { CommandFailed, CouldNotRun, UsageError } from '../cli-errors';
import { archivedCategories } from './closed-streams';
import { withEventLog } from './with-event-log';

export interface ArchiveOptions {
  readonly olderThan: string;
  readonly to?: string;
  readonly dryRun?: boolean;
}

const withEventStoreDb =
  'florin archive moves events out of Postgres. The log of this installation is in EventStoreDB, whose events Florin cannot delete ' +
  'without breaking their order: use the archiving of the server itself, which keeps them readable.';

/** Works on the database directly: it needs rights that no service has. */
export async function runArchive(context: CliContext, options: ArchiveOptions): Promise<void> {
  const before = timeBefore(options.olderThan);
  if (context.environment['EVENT_STORE'] === 'eventstoredb') throw new CouldNotRun(withEventStoreDb);
  const signal = context.interrupted();
  const environment = { ...context.environment, ...(options.to !== undefined && { ARCHIVE_DIR: options.to }) };
  try {
    await withEventLog(
      environment,
      { migrate: false, role: 'archiver', besideFlorin: true },
      async (eventLog, config) => {
        const run = await archive(eventLog, config, before, options.dryRun ?? false, context, signal);
        print(context, run, config, options);
      },
      signal,
    );
  } catch (error) {
    throw asCliError(error, signal);
  } finally {
    context.showStatus('');
  }
}

async function archive(
  { store, connection }: EventLog,
  config: Config,
  before: Date,
  dryRun: boolean,
  context: CliContext,
  signal: AbortSignal,
): Promise<ArchiveRun> {
  const pool = createPool(connection, { max: 2 });
  const startedAt = Date.now();
  const report = ({ step, file, events, streams }: ArchiveProgress): void => {
    const seconds = (Date.now() - startedAt) / 1_000;
    const text = `${file} ${step}: ${events} events of ${streams} streams, ${Math.round(events / seconds)} events/s`;
    if (!context.showStatus(text) && step === 'finished') context.report(text);
  };
  try {
    const key = knownSigningKey(config);
    return await archiveClosedStreams({
      ...{
        pool,
        store,
        directory: archiveDirectory(config),
        rules: archivedCategories,
        before,
        dryRun,
        report,
        signal,
      },
      ...(key !== undefined && { key }),
    });
  } finally {
    await pool.end();
  }
}

function timeBefore(olderThan: string): Date {
  const days = /^(\d{1,5})d$/.exec(olderThan)?.[1];
  if (days === undefined) {
    throw new UsageError(`--older-than ${olderThan} is not a number of days. Example: 400d.`);
  }
  return new Date(Date.now() - Number(days) * 86_400_000);
}

function print(context: CliContext, run: ArchiveRun, config: Config, { to, dryRun = false }: ArchiveOptions): void {
  const { events, streams, files, archiveBytes, textBytes, tableBytes, limit, slowestSubscription, unrecorded } = run;
  const directory = resolve(archiveDirectory(config));
  const result = { ...run, directory, limit: String(limit), dryRun };
  if (dryRun) {
    const text = `Would archive ${events} events of ${streams} streams, ${megabytes(textBytes)} of text. Nothing was changed.`;
    context.output(result, `${text}${limitText(limit, slowestSubscription)}`);
    return;
  }
  const moved = `Archived ${events} events of ${streams} streams in ${files} files, ${megabytes(archiveBytes)}, in ${directory}.`;
  const table = `The table of events with its indexes has ${megabytes(tableBytes.after)}, before ${megabytes(tableBytes.before)}. `;
  const reuse =
    'New events use the space of deleted ones after the next vacuum; pg_repack or VACUUM FULL returns it to the disk.';
  const notes = [
    ...(events > 0
      ? [`${table}${reuse}`, 'Back up this folder like the database: the log is incomplete without it.']
      : []),
    ...(to !== undefined ? [`Set ARCHIVE_DIR=${directory} for all services and for this command line.`] : []),
    ...(unrecorded.length > 0
      ? [
          `This database does not refer to ${unrecorded.join(', ')}. ` +
            'Delete these files of interrupted runs, unless another database, such as the origin of a restored copy, uses the folder.',
        ]
      : []),
  ];
  context.output(result, [`${moved}${limitText(limit, slowestSubscription)}`, ...notes].join('\n'));
}

function limitText(limit: bigint, slowest: string | undefined): string {
  const reader = slowest === undefined ? '' : ` The subscription ${slowest} has processed least of it.`;
  return `\nThe log can be archived up to position ${limit}, which all subscriptions and the signer have processed.${reader}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function asCliError(error: unknown, signal: AbortSignal): Error {
  if (error instanceof UsageError || error instanceof CouldNotRun) return error;
  if (signal.aborted) return new CouldNotRun('Interrupted. No event was lost; run this command again to continue.');
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CommandFailed || error instanceof ArchiveUnavailable) return new CouldNotRun(message);
  return new CouldNotRun(`${message}. No event was lost; run this command again to continue.`);
}

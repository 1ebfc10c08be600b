import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import type { LogCopyOptions } from '../event-log/run-log-copy';
import type { LogEventsOptions } from '../event-log/run-log-events';

const help = `
Copies every event with its id, hashes, metadata and place in the order, archived ones included, to an empty store of the other
kind: the events in the database (postgres), or the server of EVENTSTORE_URL (eventstoredb). Then it compares both logs event by
event, verifies hash chains and signed checkpoints, and switches in one transaction: the database accepts only the new store from
then on, and all positions that it keeps are those of the new store. Read models, webhooks and processes continue where they were.

Stop all services of Florin first. Needs the owner of the database (DATABASE_OWNER_URL), and LOG_SIGNING_KEY if the log is
signed. After an interruption, run it again; until the switch, Florin can be started with the old store instead.

Exit codes: 0 done, 1 the logs differ or the source has problems, 2 wrong usage, 3 could not run or was interrupted.`;

export const eventStoreKinds = ['postgres', 'eventstoredb'] as const;

export function addLogCommands(program: Command, context: CliContext): void {
  const log = program.command('log').description('Read or move the event log.');
  const store = (flags: string, text: string): Option =>
    new Option(flags, text).choices(eventStoreKinds).makeOptionMandatory();
  log
    .command('copy')
    .description('Move the log to the other event store, on DATABASE_URL or the data folder.')
    .addOption(store('--from <store>', 'the event store that has the log'))
    .addOption(store('--to <store>', 'the event store that gets it'))
    .option('--dry-run', 'only check that the copy can begin')
    .addHelpText('after', help)
    .action(async (options: LogCopyOptions) => {
      const { runLogCopy } = await import('../event-log/run-log-copy');
      await runLogCopy(context, options);
    });
  log
    .command('list')
    .description(
      'List events with their data and metadata, one line of JSON each, from DATABASE_URL or the data folder.',
    )
    .option('--stream <name>', 'only this stream, such as operation-<id>')
    .option('--type <type>', 'only events of this type')
    .addHelpText('after', '\nFlorin may run. Names of holders are encrypted in the log, and stay so.')
    .action(async (options: LogEventsOptions) => {
      const { runLogEvents } = await import('../event-log/run-log-events');
      await runLogEvents(context, options);
    });
}

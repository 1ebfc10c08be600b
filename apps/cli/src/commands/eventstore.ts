import type { Command } from 'commander';
import type { CliContext } from '../cli-context';

export function addEventStoreCommands(program: Command, context: CliContext): void {
  const eventstore = program.command('eventstore').description('Prepare an EventStoreDB or KurrentDB.');

  eventstore
    .command('grant')
    .description('Create the user of EVENTSTORE_URL with just the rights that Florin needs.')
    .addHelpText(
      'after',
      `
Connects as an administrator with EVENTSTORE_ADMIN_URL, such as esdb://admin:password@host:2113?tlsCAFile=ca.crt. The user and its
password are those in EVENTSTORE_URL. It may read and append, but not delete, truncate or change rights. All other users but
administrators lose their default rights on streams, so the server must be for Florin alone. The command can be repeated, and
sets a changed password.`,
    )
    .action(async () => {
      const { grantEventStoreRights } = await import('../eventstore-grant');
      await grantEventStoreRights(context);
    });
}

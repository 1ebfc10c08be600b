import type { Command } from 'commander';
import type { CliContext } from '../cli-context';

export function addDatabaseCommands(program: Command, context: CliContext): void {
  const database = program.command('database').description('Prepare an external Postgres.');

  database
    .command('migrate')
    .description(
      'Apply migrations, and create the role of every service with its rights, as the owner of the database.',
    )
    .addHelpText(
      'after',
      `
Connects to DATABASE_OWNER_URL, or to DATABASE_URL. DATABASE_PASSWORDS, such as ledger=…,gateway=…, lets roles log in.
The embedded Postgres needs none of this: Florin prepares it at every start.`,
    )
    .action(async () => {
      const { runMigrate } = await import('../database/run-migrate');
      await runMigrate(context);
    });
  database
    .command('list-roles')
    .description('List the role of every service, and whether its rights are those of this release.')
    .option('--sql', 'print the statements that create the roles, for an owner that may not create roles')
    .action(async (options: { readonly sql?: true }) => {
      const { runRoles } = await import('../database/run-roles');
      await runRoles(context, options.sql === true);
    });
}

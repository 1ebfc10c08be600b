import { describeRoles, inspectUser, migrateDatabase, setRolePasswords } from '@florin/database';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { withOwner } from './owner-connection';
import { roleTable } from './role-table';

export function runMigrate(context: CliContext): Promise<void> {
  return withOwner(context.environment, async ({ owner, passwords = {} }) => {
    const { isOwner } = await inspectUser(owner);
    if (!isOwner) {
      throw new CommandFailed(
        'This user does not own the database, so it may not migrate it. Set DATABASE_OWNER_URL to its owner.',
      );
    }
    const { migrations, rights } = await migrateDatabase(owner);
    if (rights === undefined) throw new CommandFailed('A newer release has migrated this database. Use that release.');
    if (rights.missingRoles.length > 0) {
      throw new CommandFailed(
        `The owner of the database may not create ${rights.missingRoles.join(', ')}. ` +
          'Run what `florin database list-roles --sql` prints as a user that may, and then this command again.',
        { missingRoles: rights.missingRoles },
      );
    }
    if (Object.keys(passwords).length > 0) await setRolePasswords(owner, passwords);
    const roles = await describeRoles(owner);
    const applied = migrations.length === 0 ? 'No migrations were pending.' : `Applied ${migrations.join(', ')}.`;
    context.output({ migrations, roles }, `${applied}\n\n${roleTable(roles)}`);
  });
}

import { createRole, databaseRoles, describeRoles, roleName } from '@florin/database';
import type { CliContext } from '../cli-context';
import { withOwner } from './owner-connection';
import { roleTable } from './role-table';

export async function runRoles(context: CliContext, asSql: boolean): Promise<void> {
  if (asSql) {
    const statements = databaseRoles.map((role) => `${createRole(roleName(role))};`);
    return context.output({ statements }, statements.join('\n'));
  }
  await withOwner(context.environment, async ({ owner }) => {
    const roles = await describeRoles(owner);
    const differences = roles.flatMap((role) => role.differences);
    const isComplete = roles.every(({ exists }) => exists) && differences.length === 0;
    const remedy = '`florin database migrate` creates missing roles and corrects their rights:';
    const text = isComplete ? '' : `\n\n${[remedy, ...differences].join('\n  ')}`;
    context.output({ roles }, `${roleTable(roles)}${text}`);
    if (!isComplete) context.exitCode = 1;
  });
}

import { createPool } from '@florin/database';
import { checkVault, openVaultKeys, type RotatedTable, rotateVault, vaultOn } from '@florin/runtime/tools';
import type { CliContext } from '../cli-context';
import { CommandFailed } from '../cli-errors';
import { table } from '../table';
import { withEventLog } from './with-event-log';

const silentLog = { warn: () => undefined };

/** Works on the database directly: it needs rights on the vault that no service has. */
export function runVaultRotation(context: CliContext): Promise<void> {
  return withEventLog(context.environment, { migrate: false, role: 'vault' }, async ({ connection }, config) => {
    const pool = createPool(connection, { max: 1 });
    try {
      const keys = openVaultKeys(config, silentLog);
      if (keys === undefined) {
        throw new CommandFailed(
          'There is no vault key. Set VAULT_KEY or VAULT_KEY_FILE, or start Florin once to generate one.',
        );
      }
      const { holderKeys, webhookSecrets } = vaultOn(pool, keys);
      const tables = [holderKeys, webhookSecrets];
      await checkVault(tables, keys, silentLog);
      const report = (name: string, rewrapped: number): void => context.report(`${name}: ${rewrapped} wrapped again`);
      const rotated = await rotateVault(tables, keys, { report });
      printResult(context, await keys.currentKeyId(), rotated);
    } catch (error) {
      if (error instanceof CommandFailed) throw error;
      throw new CommandFailed(
        `${error instanceof Error ? error.message : String(error)} No key was lost; run this command again.`,
      );
    } finally {
      await pool.end();
    }
  });
}

function printResult(context: CliContext, vaultKey: string, rotated: readonly RotatedTable[]): void {
  const failed = rotated.flatMap((each) => each.failed.map(({ id, reason }) => `${each.name} ${id}: ${reason}`));
  const remaining = rotated.reduce((sum, each) => sum + each.remaining, 0);
  context.output({ vaultKey, tables: rotated }, resultText(vaultKey, rotated));
  for (const line of failed) context.report(line);
  if (remaining === 0) return;
  context.exitCode = 1;
  context.report(
    failed.length > 0
      ? `${remaining} keys are not wrapped with the current vault key. Restore those listed above from a backup.`
      : `${remaining} keys are not wrapped with the current vault key, because services still wrap with another one. ` +
          'Make it the first key of all services, and run this command again.',
  );
}

function resultText(vaultKey: string, rotated: readonly RotatedTable[]): string {
  const counts = table(rotated, {
    TABLE: ({ name }) => name,
    'WRAPPED AGAIN': ({ rewrapped }) => String(rewrapped),
    'LEFT ON OTHER KEYS': ({ remaining }) => String(remaining),
  });
  return `${counts}\nThe current vault key is ${vaultKey}.`;
}

import type { Command } from 'commander';
import type { CliContext } from '../cli-context';

export function addVaultCommands(program: Command, context: CliContext): void {
  const vault = program.command('vault').description('Manage the keys in the vault.');
  vault
    .command('rotate')
    .description(
      'Wrap all holder keys and webhook secrets with the first key of VAULT_KEY or VAULT_KEY_FILE, on DATABASE_URL or the data folder of a stopped Florin.',
    )
    .addHelpText(
      'after',
      '\nServices can run meanwhile if they have both keys. After an interruption, run it again: it continues with the keys that are left.',
    )
    .action(async () => {
      const { runVaultRotation } = await import('../event-log/run-vault-rotation');
      await runVaultRotation(context);
    });
}

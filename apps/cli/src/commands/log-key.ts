import type { Command } from 'commander';
import type { CliContext } from '../cli-context';

export function addLogKeyCommand(program: Command, context: CliContext): void {
  const logKey = program.command('log-key').description('The key that signs the log.');
  logKey
    .command('create')
    .description('Create a key for LOG_SIGNING_KEY, which signs checkpoints of the log.')
    .argument('<file>', 'new file for the private key; the public key is written to <file>.pub')
    .action(async (file: string) => {
      const { createLogKey } = await import('../event-log/create-log-key');
      createLogKey(context, file);
    });
}

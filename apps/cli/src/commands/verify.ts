import type { Command } from 'commander';
import type { CliContext } from '../cli-context';

export function addVerifyCommand(program: Command, context: CliContext): void {
  program
    .command('verify')
    .description('Verify the hash chain of every stream, on DATABASE_URL or the data folder of a stopped Florin.')
    .action(async () => {
      const { runVerify } = await import('../event-log/run-verify');
      await runVerify(context);
    });
}

import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import type { CheckOptions } from '../event-log/check-log';
import type { ResultOptions } from '../event-log/check-results';
import type { EvidenceOptions } from '../event-log/checkpoint-source';
import { addCheckOptions } from './check-options';

export function addVerifyCommand(program: Command, context: CliContext): void {
  addCheckOptions(program.command('verify'))
    .description(
      'Verify the hash chain of every stream, and the log against its signed checkpoints, on DATABASE_URL or the data folder. Florin may run.',
    )
    .action(async (options: EvidenceOptions & CheckOptions & ResultOptions) => {
      const { runVerify } = await import('../event-log/run-verify');
      await runVerify(context, options);
    });
}

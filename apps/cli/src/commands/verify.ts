import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import type { EvidenceOptions } from '../event-log/checkpoint-source';
import { addEvidenceOptions } from './evidence-options';

export function addVerifyCommand(program: Command, context: CliContext): void {
  addEvidenceOptions(program.command('verify'))
    .description(
      'Verify the hash chain of every stream, and the log against its signed checkpoints, on DATABASE_URL or the data folder of a stopped Florin.',
    )
    .action(async (options: EvidenceOptions) => {
      const { runVerify } = await import('../event-log/run-verify');
      await runVerify(context, options);
    });
}

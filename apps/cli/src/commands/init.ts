import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import { addSandboxOptions, type CompanyOptions } from '../company-connection';

export function addInitCommand(program: Command, context: CliContext): void {
  addSandboxOptions(program.command('init'))
    .description('Write a small example project: TypeScript, the SDK, a webhook receiver and tests.')
    .argument('<folder>', 'a folder that does not exist or is empty')
    .addHelpText(
      'after',
      '\nIt uses the sandbox of the first company in credentials.json, unless you choose another one or a key.',
    )
    .action(async (folder: string, options: CompanyOptions) => {
      const { writeExample } = await import('../write-example');
      writeExample(context, folder, options);
    });
}

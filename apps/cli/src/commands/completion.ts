import { Argument, type Command } from 'commander';
import type { CliContext } from '../cli-context';
import { candidateLine, candidatesFor, completionScripts, type Shell } from '../completion';

const help = `
Define a command or a function with the name florin, and load the script where the shell starts:
  florin() { node <folder of Florin>/apps/cli/dist/main.js "$@"; }
  source <(florin completion bash)       # bash in ~/.bashrc, zsh in ~/.zshrc after compinit
  florin completion fish | source        # in ~/.config/fish/config.fish`;

export function addCompletionCommand(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('Print the script with which a shell completes florin commands.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(completionScripts)))
    .argument('[words...]', 'with words after --: print what can complete the last one; the scripts call this')
    .addHelpText('after', help)
    .action((shell: Shell, words: readonly string[]) => {
      if (words.length === 0) return context.print(completionScripts[shell]);
      const lines = candidatesFor(program, words).map((candidate) => candidateLine(shell, candidate));
      if (lines.length > 0) context.print(lines.join('\n'));
    });
}

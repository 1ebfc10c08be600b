import { type Argument, type Command, Help, type Option } from 'commander';

/** Lists every command of all groups, and marks required options. */
export class FlorinHelp extends Help {
  override showGlobalOptions = true;

  override visibleCommands(command: Command): Command[] {
    return runnableCommands(command);
  }

  override subcommandTerm(command: Command): string {
    const group = command.parent?.parent ? `${command.parent.name()} ` : '';
    const args = command.registeredArguments.map((argument) => ` ${argumentText(argument)}`);
    return `${group}${command.name()}${args.join('')}`;
  }

  override optionDescription(option: Option): string {
    const description = super.optionDescription(option);
    return option.mandatory ? `${description} (required)` : description;
  }
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** All commands below this one that run something themselves. A group of commands does not. */
export function runnableCommands(command: Command): Command[] {
  return command.commands.flatMap((child: Command & { readonly isRunnable?: boolean }) => [
    ...(child.isRunnable ? [child] : []),
    ...runnableCommands(child),
  ]);
}

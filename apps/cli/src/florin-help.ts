import { type Argument, type Command, Help, type Option } from 'commander';

/** Lists every command of all groups, and marks required options. */
export class FlorinHelp extends Help {
  override showGlobalOptions = true;

  override visibleCommands(command: Command): Command[] {
    return command.commands.flatMap((child) => (child.commands.length > 0 ? this.visibleCommands(child) : [child]));
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

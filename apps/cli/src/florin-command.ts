import { type Argument, Command, type ErrorOptions, InvalidArgumentError, type Option } from 'commander';
import { UsageError } from './cli-errors';
import { FlorinHelp } from './florin-help';

const missingCodes: readonly unknown[] = ['commander.missingMandatoryOptionValue', 'commander.missingArgument'];

/** A commander command that accepts each option once, rejects blank values and names all missing input at once. */
export class FlorinCommand extends Command {
  private hasAction = false;

  /** Whether it runs itself. A group of commands does not, but a command may have others below it. */
  get isRunnable(): boolean {
    return this.hasAction;
  }

  override action(run: Parameters<Command['action']>[0]): this {
    this.hasAction = true;
    return super.action(run);
  }

  override createCommand(name?: string): FlorinCommand {
    return new FlorinCommand(name);
  }

  override createHelp(): FlorinHelp {
    return new FlorinHelp();
  }

  override addOption(option: Option): this {
    let isGiven = false;
    this.on(`option:${option.name()}`, (value: unknown) => {
      if (isGiven && !option.variadic) this.error(`option '${option.flags}' is given more than once`);
      if (option.required && String(value).trim() === '') this.error(`option '${option.flags}' needs a value`);
      isGiven = true;
    });
    if (option.required && option.parseArg === undefined) option.argParser((value) => value.trim());
    return super.addOption(option);
  }

  override addArgument(argument: Argument): this {
    if (argument.required && argument.parseArg === undefined) argument.argParser(notBlank);
    return super.addArgument(argument);
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    const text = missingCodes.includes(code) ? `missing ${missingInput(this).join(', ')}` : message;
    throw new UsageError(text.replace(/^error: /, ''), `Run \`${pathOf(this)} --help\` for usage.`);
  }
}

function notBlank(value: string): string {
  if (value.trim() !== '') return value.trim();
  throw new InvalidArgumentError('It is blank.');
}

function missingInput(command: Command): readonly string[] {
  const args = command.registeredArguments.filter(({ required }, index) => required && !(index in command.args));
  const options = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  return [...args.map((argument) => `<${argument.name()}>`), ...options.map(({ flags }) => flags)];
}

/** The words that call a command, such as `florin keys create`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

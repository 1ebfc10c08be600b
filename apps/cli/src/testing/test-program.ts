import type { Command } from 'commander';
import { createProgram } from '../program';

/** The commands without a terminal: output is discarded. */
export function testProgram(): Command {
  const discard = (): void => undefined;
  return createProgram({ environment: {}, print: discard, printError: discard }).command;
}

export function leafCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leafCommands(child) : [child]));
}

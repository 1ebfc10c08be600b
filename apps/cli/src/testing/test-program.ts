import type { Command } from 'commander';
import { createProgram } from '../program';

/** The commands without a terminal: output is discarded. */
export function testProgram(): Command {
  const discard = (): void => undefined;
  return createProgram({ environment: {}, print: discard, printError: discard }).command;
}

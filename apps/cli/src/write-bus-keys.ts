import { BusKeys, busKeysVariable, busServices } from '@florin/bus-trust';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { CliContext } from './cli-context';
import { CommandFailed } from './cli-errors';

export type BusKeyStep = 'add' | 'switch' | 'finish';

/** Creates the file, or replaces its keys by one step. A file with keys is never overwritten by accident. */
export function writeBusKeys(context: CliContext, file: string, step: BusKeyStep | undefined): void {
  if (step === undefined) create(file, BusKeys.generate());
  else replace(file, changed(read(file), step));
  context.output({ file, services: busServices }, `Wrote the keys of ${busServices.length} services to ${file}.`);
}

function changed(keys: BusKeys, step: BusKeyStep): BusKeys {
  if (step === 'add') return keys.withNewKeys();
  return step === 'switch' ? keys.switched() : keys.withoutOldKeys();
}

function read(file: string): BusKeys {
  let lines: readonly string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}. Create it without --step.`);
  }
  // An edge has the same keys in the lines of its two services.
  const entries = lines.flatMap((line) => line.slice(line.indexOf('=') + 1).split(' '));
  try {
    return BusKeys.parse([...new Set(entries)].join(' '));
  } catch (error) {
    throw new CommandFailed(`${file} is not a file of this command: it ${(error as Error).message}.`);
  }
}

function create(file: string, keys: BusKeys): void {
  try {
    writeFileSync(file, textOf(keys), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandFailed(`${file} exists. Replace its keys with --step add, or choose another file.`);
  }
}

function replace(file: string, keys: BusKeys): void {
  const draft = `${file}.new`;
  writeFileSync(draft, textOf(keys), { mode: 0o600, flag: 'wx' });
  renameSync(draft, file);
}

function textOf(keys: BusKeys): string {
  return busServices.map((service) => `${busKeysVariable(service)}=${keys.for(service)}\n`).join('');
}

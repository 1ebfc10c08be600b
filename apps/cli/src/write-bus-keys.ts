import { allInOne, BusKeys, busKeysVariable, busServices, edges, edgesOf } from '@florin/bus-trust';
import { createPrivateFile, replacePrivateFile } from '@florin/database';
import { existsSync, readFileSync } from 'node:fs';
import type { CliContext } from './cli-context';
import { CommandFailed } from './cli-errors';

export type BusKeyStep = 'add' | 'switch' | 'finish';

/** The keys of separate services, and those of the all-in-one process, which sends its commands to itself. */
const services = [...busServices, allInOne];
const allEdges = [...edges, ...edgesOf(allInOne)];

/** Creates the file, adds missing keys to it, or replaces its keys by one step. Without a step no key changes. */
export function writeBusKeys(context: CliContext, file: string, step: BusKeyStep | undefined): void {
  if (step !== undefined) replace(file, changed(read(file), step, file).withMissing(allEdges));
  else if (existsSync(file)) complete(file);
  else createPrivateFile(file, textOf(BusKeys.generate(allEdges)));
  context.output({ file, services }, `Wrote the keys of ${services.length} services to ${file}.`);
}

function changed(keys: BusKeys, step: BusKeyStep, file: string): BusKeys {
  if (step === 'switch') return keys.switched();
  if (step === 'finish') return keys.withoutOldKeys();
  try {
    return keys.withNewKeys();
  } catch (error) {
    throw new CommandFailed(`${file} ${(error as Error).message}, with --step switch and --step finish.`);
  }
}

/** A newer release may have edges that the file lacks. */
function complete(file: string): void {
  const keys = read(file);
  if (services.every((service) => keys.missingFor(service).length === 0)) {
    throw new CommandFailed(`${file} exists. Replace its keys with bus-keys rotate, or choose another file.`);
  }
  replace(file, keys.withMissing(allEdges));
}

function read(file: string): BusKeys {
  let lines: readonly string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}. Create it with bus-keys create.`);
  }
  // An edge has the same keys in the lines of its two services.
  const entries = lines.flatMap((line) => line.slice(line.indexOf('=') + 1).split(' '));
  try {
    return BusKeys.parse([...new Set(entries)].join(' '));
  } catch (error) {
    throw new CommandFailed(`${file} is not a file of this command: it ${(error as Error).message}.`);
  }
}

function replace(file: string, keys: BusKeys): void {
  replacePrivateFile(file, textOf(keys));
}

function textOf(keys: BusKeys): string {
  return services.map((service) => `${busKeysVariable(service)}=${keys.for(service)}\n`).join('');
}

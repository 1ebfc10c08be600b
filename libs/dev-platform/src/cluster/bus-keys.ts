import { BusKeys } from '@florin/bus-trust';
import { replacePrivateFile } from '@florin/database';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The keys of all services: the configured ones, those of an earlier start, or new ones. */
export function busKeysFor(dataDirectory: string, env: Readonly<Record<string, string>>): BusKeys {
  if (env['BUS_KEYS']) return BusKeys.parse(env['BUS_KEYS']);
  // Messages that an earlier run left on the bus were signed with its keys.
  const file = join(dataDirectory, 'bus-keys');
  const known = existsSync(file) ? parseFile(file) : BusKeys.parse('');
  // A newer release may have edges that the file lacks.
  const keys = known.withMissing();
  if (String(keys) !== String(known)) replacePrivateFile(file, `${keys}\n`);
  return keys;
}

function parseFile(file: string): BusKeys {
  try {
    return BusKeys.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} ${(error as Error).message}. Delete it to get new keys.`, { cause: error });
  }
}

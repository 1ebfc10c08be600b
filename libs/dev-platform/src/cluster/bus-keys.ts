import { BusKeys } from '@florin/bus-trust';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The keys of all services: the configured ones, those of an earlier start, or new ones. */
export function busKeysFor(dataDirectory: string, env: Readonly<Record<string, string>>): BusKeys {
  if (env['BUS_KEYS']) return BusKeys.parse(env['BUS_KEYS']);
  // Messages that an earlier run left on the bus were signed with its keys.
  const file = join(dataDirectory, 'bus-keys');
  if (existsSync(file)) return parseFile(file);
  const keys = BusKeys.generate();
  writeFileSync(file, `${keys}\n`, { mode: 0o600, flag: 'wx' });
  return keys;
}

function parseFile(file: string): BusKeys {
  try {
    return BusKeys.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} ${(error as Error).message}. Delete it to get new keys.`, { cause: error });
  }
}

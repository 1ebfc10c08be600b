import { BusKeys } from '@florin/bus-trust';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './testing/run-command';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-bus-keys-'));
  file = join(folder, 'bus-keys.env');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** The keys of an edge in the line of a service. */
function keysIn(variable: string, edge: string): readonly string[] {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${variable}=`))!;
  const entry = line
    .slice(variable.length + 1)
    .split(' ')
    .find((text) => text.startsWith(`${edge}=`));
  return entry?.slice(edge.length + 1).split(',') ?? [];
}

describe('florin bus-keys', () => {
  it('creates a file for its owner only, with the keys of each service', async () => {
    const { exitCode, out } = await runCommand(['bus-keys', 'create', file]);
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: `Wrote the keys of 7 services to ${file}.\n` });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(keysIn('BUS_KEYS_GATEWAY', 'gateway>ledger')).toEqual(keysIn('BUS_KEYS_LEDGER', 'gateway>ledger'));
    expect(keysIn('BUS_KEYS_OPERATIONS', 'gateway>ledger')).toEqual([]);
  });

  it('does not overwrite keys', async () => {
    await runCommand(['bus-keys', 'create', file]);
    const before = readFileSync(file, 'utf8');
    const { exitCode, err } = await runCommand(['bus-keys', 'create', file]);
    expect(exitCode).toBe(1);
    expect(err).toContain('Replace its keys with bus-keys rotate');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('replaces the keys in three steps', async () => {
    await runCommand(['bus-keys', 'create', file]);
    const keys = (): readonly string[] => keysIn('BUS_KEYS_LEDGER', 'operations>ledger');
    const [old] = keys();
    await runCommand(['bus-keys', 'rotate', file, '--step', 'add']);
    const [first, added] = keys();
    expect(first).toBe(old);
    await runCommand(['bus-keys', 'rotate', file, '--step', 'switch']);
    expect(keys()).toEqual([added, old]);
    await runCommand(['bus-keys', 'rotate', file, '--step', 'finish']);
    expect(keys()).toEqual([added]);
  });

  it('includes the keys of an all-in-one process', async () => {
    await runCommand(['bus-keys', 'create', file]);
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .find((text) => text.startsWith('BUS_KEYS_FLORIN='))!;
    const keys = BusKeys.parse(line.slice('BUS_KEYS_FLORIN='.length));
    expect(keys.missingFor('florin')).toEqual([]);
    expect(keys.keysOf()({ sender: 'gateway', context: 'ledger' })).toEqual([]);
  });

  it('does not add keys during a replacement, which would drop a key in use', async () => {
    await runCommand(['bus-keys', 'create', file]);
    for (const step of ['add', 'switch']) {
      await runCommand(['bus-keys', 'rotate', file, '--step', step]);
      const before = readFileSync(file, 'utf8');
      const { exitCode, err } = await runCommand(['bus-keys', 'rotate', file, '--step', 'add']);
      expect(exitCode).toBe(1);
      expect(err).toContain('end the replacement in progress first, with --step switch and --step finish');
      expect(readFileSync(file, 'utf8')).toBe(before);
    }
  });

  it('continues after a crash that left a draft', async () => {
    await runCommand(['bus-keys', 'create', file]);
    writeFileSync(`${file}.new`, 'BUS_KEYS_GATEWAY=');
    expect((await runCommand(['bus-keys', 'rotate', file, '--step', 'add'])).exitCode).toBe(0);
    expect(keysIn('BUS_KEYS_LEDGER', 'operations>ledger')).toHaveLength(2);
  });

  it('adds the keys of new edges to an existing file, and keeps the others', async () => {
    await runCommand(['bus-keys', 'create', file]);
    const complete = readFileSync(file, 'utf8');
    const [kept] = keysIn('BUS_KEYS_LEDGER', 'operations>ledger');
    writeFileSync(file, complete.replace(/ ?gateway>ledger=[\w-]+/g, '').replace(/BUS_KEYS_FLORIN=.*\n/, ''));
    expect(keysIn('BUS_KEYS_LEDGER', 'gateway>ledger')).toEqual([]);
    expect((await runCommand(['bus-keys', 'create', file])).exitCode).toBe(0);
    expect(keysIn('BUS_KEYS_LEDGER', 'gateway>ledger')).toHaveLength(1);
    expect(keysIn('BUS_KEYS_GATEWAY', 'gateway>ledger')).toEqual(keysIn('BUS_KEYS_LEDGER', 'gateway>ledger'));
    expect(keysIn('BUS_KEYS_FLORIN', 'florin>ledger')).toHaveLength(1);
    expect(keysIn('BUS_KEYS_LEDGER', 'operations>ledger')).toEqual([kept]);
  });

  it('explains a file that does not exist, or has other contents', async () => {
    expect((await runCommand(['bus-keys', 'rotate', file, '--step', 'add'])).err).toContain(
      'Create it with bus-keys create',
    );
    writeFileSync(file, 'PORT=3000\n');
    expect((await runCommand(['bus-keys', 'rotate', file, '--step', 'add'])).err).toContain(
      'is not a file of this command',
    );
  });
});

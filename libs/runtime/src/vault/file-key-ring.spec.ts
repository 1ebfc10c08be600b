import { UnknownVaultKey } from '@florin/kernel';
import { keyWrapperContract, until } from '@florin/kernel/testing';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileKeyRing } from './file-key-ring';

describe('FileKeyRing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-vault-'));
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  let files = 0;
  let invalid: string[];

  beforeEach(() => {
    invalid = [];
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const textOf = (keys: readonly Buffer[]): string => keys.map((key) => `${key.toString('base64')}\n`).join('');
  const newFile = (text: string): string => {
    const path = join(folder, `vault-${files++}.key`);
    writeFileSync(path, text);
    return path;
  };
  const open = (path: string): FileKeyRing => new FileKeyRing(path, ({ message }) => invalid.push(message));

  keyWrapperContract((keys) => open(newFile(textOf(keys))));

  it('reads comments, blank lines and keys as hex', async () => {
    const ring = open(newFile(`# the vault key\n\n  ${newer.toString('hex')}  \n${older.toString('base64')}`));
    expect(await ring.currentKeyId()).toBe(await open(newFile(textOf([newer]))).currentKeyId());
    expect(await ring.knows(await open(newFile(textOf([older]))).currentKeyId())).toBe(true);
  });

  it('finds an added key at once when it is needed', async () => {
    const path = newFile(textOf([older]));
    const ring = open(path);
    const wrapped = await open(newFile(textOf([newer]))).wrap(older, 'holder 1');
    await expect(ring.unwrap(wrapped, 'holder 1')).rejects.toThrow(UnknownVaultKey);
    writeFileSync(`${path}.new`, textOf([older, newer]));
    renameSync(`${path}.new`, path);
    expect(await ring.unwrap(wrapped, 'holder 1')).toEqual(older);
  });

  it('wraps with the new first key soon after the file has changed', async () => {
    const path = newFile(textOf([older]));
    const ring = open(path);
    const expected = await open(newFile(textOf([newer]))).currentKeyId();
    writeFileSync(path, textOf([newer, older]));
    await until(async () => (await ring.wrap(older, 'holder 1')).keyId === expected);
  });

  it('keeps its keys and reports the problem when the changed file is invalid', async () => {
    const path = newFile(textOf([older]));
    const ring = open(path);
    const wrapped = await ring.wrap(newer, 'holder 1');
    writeFileSync(path, 'half a k');
    expect(await ring.knows('another')).toBe(false);
    rmSync(path);
    expect(await ring.knows('another')).toBe(false);
    expect(invalid).toEqual([expect.stringContaining('must contain keys'), expect.stringContaining('ENOENT')]);
    expect(invalid.join()).not.toContain('half a k');
    expect(await ring.unwrap(wrapped, 'holder 1')).toEqual(newer);
  });

  it.each(['', '# only a comment\n', `${'x'.repeat(43)}\nnot a key\n`])('rejects the file %j', (text) => {
    expect(() => open(newFile(text))).toThrow('must contain keys of 32 bytes');
  });
});

import { randomBytes } from 'node:crypto';
import { keyWrapperContract } from '../testing';
import { KeyRing, parseVaultKey, vaultKeyId } from './key-ring';
import { UnknownVaultKey } from './key-wrapper.port';

describe('KeyRing', () => {
  keyWrapperContract((keys) => new KeyRing(keys));

  it('opens in every later release: this format is in the database', async () => {
    const key = Buffer.alloc(32, 7);
    const wrapped = Buffer.from(
      'AQEBAQEBAQEBAQEBAXXiirSTvO8N0tffInM0czKr+Bf3G5Q4EFsyQGFltzW4xwYv8vRCtBXFlERRCQbirw==',
      'base64',
    );
    expect(vaultKeyId(key)).toBe('ac8c0b374aa0df3d');
    const ring = new KeyRing([key]);
    expect(await ring.unwrap({ keyId: vaultKeyId(key), wrapped }, 'holder 1')).toEqual(Buffer.alloc(32, 3));
  });

  it('does not wrap without a vault key', async () => {
    await expect(new KeyRing([]).wrap(randomBytes(32), 'holder 1')).rejects.toThrow(UnknownVaultKey);
  });

  it('reads vault keys as base64 and hex, and nothing else', () => {
    const key = randomBytes(32);
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      expect(parseVaultKey(key.toString(encoding))).toEqual(key);
    }
    const others = ['', 'secret', key.toString('hex').slice(2), key.toString('base64').slice(4), 'x'.repeat(64)];
    for (const text of [...others, `${key.toString('base64')}\n#`]) expect(parseVaultKey(text)).toBeUndefined();
  });
});

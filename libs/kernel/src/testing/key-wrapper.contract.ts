import { randomBytes } from 'node:crypto';
import { DecryptionFailed } from '../sealed-text';
import { type KeyWrapper, UnknownVaultKey } from '../vault/key-wrapper.port';

/** Creates a wrapper with these vault keys, the first of which wraps. */
export type CreateKeyWrapper = (vaultKeys: readonly Buffer[]) => KeyWrapper;

/** What every `KeyWrapper` guarantees. */
export function keyWrapperContract(create: CreateKeyWrapper): void {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const key = randomBytes(32);

  it('unwraps what it has wrapped, also with another instance', async () => {
    const wrapped = await create([older]).wrap(key, 'holder 1');
    expect(await create([older]).unwrap(wrapped, 'holder 1')).toEqual(key);
  });

  it('wraps texts of any length', async () => {
    const wrapper = create([older]);
    for (const length of [0, 1, 49, 1_000]) {
      const secret = randomBytes(length);
      expect(await wrapper.unwrap(await wrapper.wrap(secret, 'secret'), 'secret')).toEqual(secret);
    }
  });

  it('does not contain the key, and differs each time', async () => {
    const wrapper = create([older]);
    const wrapped = await Promise.all(Array.from({ length: 50 }, () => wrapper.wrap(key, 'holder 1')));
    const texts = wrapped.map((one) => Buffer.from(one.wrapped).toString('hex'));
    expect(new Set(texts).size).toBe(50);
    expect(texts.filter((text) => text.includes(key.toString('hex')))).toEqual([]);
  });

  it('refuses a key of another object', async () => {
    const wrapper = create([older]);
    const wrapped = await wrapper.wrap(key, 'holder 1');
    await expect(wrapper.unwrap(wrapped, 'holder 2')).rejects.toThrow(DecryptionFailed);
  });

  it('refuses a key in which a single bit was changed', async () => {
    const wrapper = create([older]);
    const { keyId, wrapped } = await wrapper.wrap(key, 'holder 1');
    for (let bit = 0; bit < wrapped.length * 8; bit++) {
      const changed = Buffer.from(wrapped);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      await expect(wrapper.unwrap({ keyId, wrapped: changed }, 'holder 1')).rejects.toThrow(DecryptionFailed);
    }
    await expect(wrapper.unwrap({ keyId, wrapped: Buffer.alloc(0) }, 'holder 1')).rejects.toThrow(DecryptionFailed);
  });

  it('refuses a key that claims to be wrapped with another vault key', async () => {
    const wrapper = create([newer, older]);
    const { wrapped } = await create([older]).wrap(key, 'holder 1');
    const keyId = await create([newer]).currentKeyId();
    await expect(wrapper.unwrap({ keyId, wrapped }, 'holder 1')).rejects.toThrow(DecryptionFailed);
  });

  it('wraps with the first vault key and unwraps with all', async () => {
    const before = await create([older]).wrap(key, 'holder 1');
    const during = create([newer, older]);
    expect(await during.unwrap(before, 'holder 1')).toEqual(key);
    const after = await during.wrap(key, 'holder 1');
    expect(after.keyId).not.toBe(before.keyId);
    expect(await during.currentKeyId()).toBe(after.keyId);
    expect(await create([newer]).unwrap(after, 'holder 1')).toEqual(key);
  });

  it('names a vault key that it does not have', async () => {
    const wrapped = await create([older]).wrap(key, 'holder 1');
    const wrapper = create([newer]);
    const knows = [await wrapper.knows(wrapped.keyId), await wrapper.knows(await wrapper.currentKeyId())];
    expect(knows).toEqual([false, true]);
    const unwrapping = wrapper.unwrap(wrapped, 'holder 1');
    await expect(unwrapping).rejects.toThrow(UnknownVaultKey);
    await expect(unwrapping).rejects.toThrow(wrapped.keyId);
  });
}

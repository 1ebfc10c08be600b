import { temporaryDataDirectory } from '@florin/database';
import { LogSigningKey } from '@florin/event-sourcing';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BadConfiguration } from '../config';
import { readConfig } from '../config';
import { knownPublicKeys, openSigningKeys, signingKeyFile } from './signing-keys';

const folder = temporaryDataDirectory('florin-keys-');
afterAll(() => rmSync(folder, { recursive: true }));

describe('openSigningKeys', () => {
  it('creates a key in the data folder that only its owner can read, and keeps it', () => {
    const config = readConfig({ FLORIN_DATA_DIR: join(folder, 'new') });
    expect(knownPublicKeys(config).all).toEqual([]);
    const { key } = openSigningKeys(config)!;
    expect(statSync(signingKeyFile(config.FLORIN_DATA_DIR)).mode & 0o777).toBe(0o600);
    expect(openSigningKeys(config)?.key.publicKey.id).toBe(key.publicKey.id);
    expect(knownPublicKeys(config).all.map(({ id }) => id)).toEqual([key.publicKey.id]);
  });

  it('does not replace a file that is not a key', () => {
    const config = readConfig({ FLORIN_DATA_DIR: folder });
    writeFileSync(signingKeyFile(folder), 'not a key');
    expect(() => openSigningKeys(config)).toThrow(/log-signing-key.pem must be an Ed25519 private key/);
  });

  it('reads LOG_SIGNING_KEY as PEM or base64, with earlier keys', () => {
    const key = LogSigningKey.generate();
    const [first, second] = [LogSigningKey.generate().publicKey, LogSigningKey.generate().publicKey];
    const der = key.pem.replace(/-----[^-]+-----|\s/g, '');
    for (const text of [key.pem, der, Buffer.from(key.pem).toString('base64')]) {
      const config = readConfig({ LOG_SIGNING_KEY: text, LOG_PUBLIC_KEYS: `${first.pem}${second.pem}` });
      expect(openSigningKeys(config)?.key.publicKey.id).toBe(key.publicKey.id);
      expect(knownPublicKeys(config).all.map(({ id }) => id)).toEqual([first.id, second.id, key.publicKey.id]);
    }
    const texts = readConfig({ LOG_SIGNING_KEY: der, LOG_PUBLIC_KEYS: `${first.text}, ${second.text}` });
    expect(openSigningKeys(texts)?.earlierKeys.all.map(({ id }) => id)).toEqual([first.id, second.id]);
  });

  it('creates no key for an external database', () => {
    expect(openSigningKeys(readConfig({ DATABASE_URL: 'postgres://x/y', FLORIN_DATA_DIR: folder }))).toBeUndefined();
  });

  it('rejects invalid keys without repeating them', () => {
    let problems: readonly string[] = [];
    try {
      readConfig({ LOG_SIGNING_KEY: 'hunter2', LOG_PUBLIC_KEYS: 'hunter2', CHECKPOINT_SINK: 'https://' });
    } catch (error) {
      problems = (error as BadConfiguration).problems;
    }
    expect(problems).toEqual([
      'LOG_SIGNING_KEY must be an Ed25519 private key: PEM, or base64 of PKCS #8',
      'LOG_PUBLIC_KEYS must be Ed25519 public keys: PEM, or base64 of SPKI, separated by commas',
      'CHECKPOINT_SINK must be a file path, file:<path>, or a URL that begins with http:// or https://',
    ]);
  });
});

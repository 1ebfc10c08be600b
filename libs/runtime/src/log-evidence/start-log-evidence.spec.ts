import { temporaryDataDirectory } from '@florin/database';
import { rmSync, writeFileSync } from 'node:fs';
import type { Stores } from '../choose-stores';
import { readConfig } from '../config';
import type { Log } from '../log';
import { signingKeyFile } from './signing-keys';
import { startLogEvidence } from './start-log-evidence';

const folder = temporaryDataDirectory('florin-evidence-');
afterAll(() => rmSync(folder, { recursive: true }));

describe('startLogEvidence', () => {
  it('reports a signing key that cannot be read, and lets the product run without it', async () => {
    // What a crash left of a file that was not written completely.
    writeFileSync(signingKeyFile(folder), '');
    const errors: string[] = [];
    const log = { error: (_: object, message: string) => void errors.push(message) } as unknown as Log;
    const config = readConfig({ FLORIN_DATA_DIR: folder });
    const evidence = startLogEvidence(config, {} as Stores, {}, log);
    await evidence.stop();
    expect(errors).toEqual([
      `The log is not signed: ${signingKeyFile(folder)} must be an Ed25519 private key: PEM, or base64 of PKCS #8. ` +
        'Restore the key from a backup, or move the file away to get a new key, and restart.',
    ]);
  });
});

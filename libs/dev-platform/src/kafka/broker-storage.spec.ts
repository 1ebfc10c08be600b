import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrokerSecurity } from './broker-security';
import { ensureStorage, newClusterId } from './broker-storage';

describe('ensureStorage', () => {
  let folder: string;
  let java: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'florin-storage-'));
    java = join(folder, 'java');
    // Records how it was called, and fails as the real one does.
    writeFileSync(
      java,
      `#!/bin/sh\necho "$@" > ${folder}/called\nls -l "\${1#@}" > ${folder}/mode\ncat "\${1#@}" > ${folder}/read\necho broken >&2\nexit 3\n`,
    );
    chmodSync(java, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('passes passwords in a file that only its owner can read, and reports none of them', async () => {
    const draft = mkdtempSync(join(folder, 'draft-'));
    const security: BrokerSecurity = {
      ...{ keystorePassword: 'x', users: { admin: 'hunter2' } },
      ...{ keystore: '/keystore', caFile: '/ca.pem', secretsFile: '/secrets.json' },
    };
    const kafka = { version: '0', folder: '/', classPath: '/a "b" \\c', classArchive: [] };
    const failure = await ensureStorage(kafka, join(folder, 'storage'), draft, security, java).catch(String);
    expect(failure).toMatch(/^Error: The broker's storage could not be formatted in .*: java ended with 3\. broken\n$/);
    expect(failure).not.toContain('hunter2');
    const called = readFileSync(join(folder, 'called'), 'utf8');
    expect(called).toBe(`@${join(draft, 'format.arguments')}\n`);
    expect(readFileSync(join(folder, 'mode'), 'utf8')).toMatch(/^-rw------- /);
    const read = readFileSync(join(folder, 'read'), 'utf8');
    expect(read).toContain('"SCRAM-SHA-512=[name=admin,password=hunter2]"\n');
    expect(read).toContain('"/a \\"b\\" \\\\c"\n');
    expect(readdirSync(draft)).not.toContain('format.arguments');
  });
});

describe('newClusterId', () => {
  it('generates another id when one starts with a dash, which Kafka would parse as an option', () => {
    const draws = [Buffer.alloc(16, 0xf8), Buffer.alloc(16, 0x01)];
    expect(draws[0]!.toString('base64url')).toMatch(/^-/);
    expect(newClusterId(() => draws.shift()!)).toBe('AQEBAQEBAQEBAQEBAQEBAQ');
    expect(draws).toEqual([]);
  });
});

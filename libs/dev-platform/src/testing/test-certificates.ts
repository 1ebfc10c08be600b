import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A private authority, and a certificate of it for loopback. */
export interface TestCertificates {
  /** A folder with only the certificate of the authority. */
  readonly authorities: string;
  readonly authorityFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

export function createTestCertificates(folder: string): TestCertificates {
  const authorities = join(folder, 'authorities');
  mkdirSync(authorities, { recursive: true });
  const file = (name: string): string => join(folder, name);
  const authorityFile = join(authorities, 'ca.crt');
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { stdio: 'pipe' });
  };
  const newKey = (name: string): readonly string[] => ['-newkey', 'rsa:2048', '-nodes', '-keyout', file(name)];
  openssl(
    'req',
    '-x509',
    ...newKey('ca.key'),
    '-out',
    authorityFile,
    '-days',
    '2',
    '-subj',
    '/CN=Florin test authority',
  );
  openssl('req', ...newKey('node.key'), '-out', file('node.csr'), '-subj', '/CN=eventstoredb-node');
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  openssl(
    ...['x509', '-req', '-in', file('node.csr'), '-CA', authorityFile, '-CAkey', file('ca.key'), '-CAcreateserial'],
    ...['-out', file('node.crt'), '-days', '2', '-extfile', file('names')],
  );
  return { authorities, authorityFile, certificateFile: file('node.crt'), keyFile: file('node.key') };
}

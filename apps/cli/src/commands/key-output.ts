import type { CommandOutput } from '../command';
import { type Columns, table } from '../table';

export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

export interface KeyDetails {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
  readonly scopes: readonly string[];
  readonly hint: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

const columns: Columns<KeyDetails> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  ENVIRONMENT: ({ environment }) => environment,
  'ENDS IN': ({ hint }) => hint,
  EXPIRES: ({ expiresAt }) => expiresAt,
  REVOKED: ({ revokedAt }) => revokedAt,
  'LAST USED': ({ lastUsedAt }) => lastUsedAt,
  SCOPES: ({ scopes }) => scopes.join(' '),
};

export function keysOutput(answer: { readonly data: readonly KeyDetails[] }): CommandOutput {
  return { answer, text: answer.data.length === 0 ? 'The company has no keys.' : table(answer.data, columns) };
}

export function issuedKeyOutput(issued: IssuedKey): CommandOutput {
  const rows = table([issued], { ID: ({ id }) => id, KEY: ({ key }) => key });
  return { answer: issued, text: `${rows}\n\nKeep the key now: it is not stored and cannot be shown again.` };
}

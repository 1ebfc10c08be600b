import { maxOverlapHours, type Scope, scopes } from '@florin/companies-domain';
import type { ApiKeyDetails } from '@florin/read-models';
import { type Command, InvalidArgumentError } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { environmentOption, parseTime, wholeNumber } from '../option-values';
import { type Columns, table } from '../table';
import { actorText } from './actor-text';
import { addPageOptions, type ListQuery, printPage } from './pages';

interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

type KeyDetails = Omit<ApiKeyDetails, 'keyId' | 'companyId' | 'issuedAt'> & { readonly id: string };

const columns: Columns<KeyDetails> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  ENVIRONMENT: ({ environment }) => environment,
  'ENDS IN': ({ hint }) => hint,
  EXPIRES: ({ expiresAt }) => expiresAt,
  REVOKED: ({ revokedAt }) => revokedAt,
  'LAST USED': ({ lastUsedAt }) => lastUsedAt,
  'CREATED BY': ({ createdBy }) => actorText(createdBy),
  'ROTATED BY': ({ rotatedBy }) => actorText(rotatedBy),
  'REVOKED BY': ({ revokedBy }) => actorText(revokedBy),
  SCOPES: (key) => key.scopes.join(' '),
};

const environment = environmentOption('the environment that the key works in').makeOptionMandatory();

const hours = wholeNumber(0, maxOverlapHours);

export function addKeyCommands(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('Manage API keys.');
  const issue = async (path: string, body: object): Promise<void> => {
    const issued = await context.operatorApi().post<IssuedKey>(path, body);
    const row = table([issued], { ID: ({ id }) => id, KEY: ({ key }) => key });
    context.output(issued, `${row}\n\nSave the key now: Florin does not store it and cannot show it again.`);
  };

  addPageOptions(keys.command('list <company-id>'))
    .description('List the API keys of a company.')
    .action((companyId: string, query: ListQuery) => {
      const path = apiPath`/companies/${companyId}/keys`;
      return printPage(context, { api: context.operatorApi(), path, columns, plural: 'keys of this company', query });
    });
  keys
    .command('create <company-id>')
    .description('Issue an API key to a company and show it once.')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(environment)
    .requiredOption('--scopes <list>', `all, or a comma-separated list of: ${scopes.join(', ')}`, parseScopes)
    .option('--expires-at <time>', 'ISO 8601, such as 2030-01-31T00:00:00Z (default: in 365 days)', parseTime)
    .action((companyId: string, body: object) => issue(apiPath`/companies/${companyId}/keys`, body));
  keys
    .command('rotate <key-id>')
    .description('Issue a new secret for an API key and show it once. The old secret works until the overlap ends.')
    .option('--overlap-hours <hours>', `0 to ${maxOverlapHours}; 0 ends the old secret at once`, hours, 24)
    .action((keyId: string, body: object) => issue(apiPath`/keys/${keyId}/rotate`, body));
  keys
    .command('revoke <key-id>')
    .description('Revoke an API key permanently. Takes effect on every replica within seconds.')
    .action(async (keyId: string) => {
      const path = apiPath`/keys/${keyId}/revoke`;
      const revoked = await context.operatorApi().post<{ readonly id: string; readonly revokedAt: string }>(path);
      context.output(revoked, `Key ${revoked.id} was revoked at ${revoked.revokedAt}.`);
    });
}

function parseScopes(list: string): readonly Scope[] {
  if (list.trim() === 'all') return scopes;
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !scopes.some((scope) => scope === name));
  if (unknown.length === 0) return scopes.filter((scope) => names.includes(scope));
  throw new InvalidArgumentError(
    `Unknown scopes: ${unknown.join(', ')}. Use all, or choose from ${scopes.join(', ')}.`,
  );
}

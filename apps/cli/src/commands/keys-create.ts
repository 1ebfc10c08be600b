import { environments, type Scope, scopes } from '@florin/companies-domain';
import { UsageError } from '../cli-errors';
import type { Command } from '../command';
import { type IssuedKey, issuedKeyOutput } from './key-output';

export const keysCreate: Command = {
  words: 'keys create',
  summary: 'Issues an API key to a company and shows it, once.',
  arguments: ['company-id'],
  options: {
    name: { value: 'name', description: 'what the key is for' },
    environment: { value: environments.join('|'), description: 'the one environment it works in' },
    scopes: { value: 'list', description: `all, or some of these with commas between: ${scopes.join(',')}` },
    'expires-at': { value: 'time', description: 'ISO 8601, such as 2030-01-31T00:00:00Z (default: in 365 days)' },
  },
  run: async (input) => {
    const path = `/companies/${encodeURIComponent(input.text('company-id'))}/keys`;
    const body = {
      name: input.text('name'),
      environment: input.oneOf('environment', environments),
      scopes: readScopes(input.text('scopes')),
      ...(input.has('expires-at') && { expiresAt: readTime(input.text('expires-at')) }),
    };
    return issuedKeyOutput(await input.api.post<IssuedKey>(path, body));
  },
};

function readScopes(list: string): readonly Scope[] {
  if (list === 'all') return scopes;
  const wanted = list.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !scopes.some((scope) => scope === name));
  if (unknown.length === 0) return scopes.filter((scope) => wanted.includes(scope));
  throw new UsageError(`There is no scope ${unknown.join(', ')}; choose from ${scopes.join(', ')}, or say all`);
}

function readTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError(`${text} is not a time such as 2030-01-31T00:00:00Z`);
  return time.toISOString();
}

import { environments } from '@florin/companies-domain';
import { UsageError } from './cli-errors';
import type { CommandInput, CommandOption } from './command';
import { defaultUrl, readCredentials } from './connection';
import { FlorinClient } from './florin-client';

/** How commands that act for a company are told for which one. */
export const companyOptions: Readonly<Record<string, CommandOption>> = {
  key: { value: 'key', description: 'an API key of the company (default: FLORIN_KEY)' },
  company: { value: 'name', description: 'instead of a key: a company of credentials.json, by its name' },
  environment: { value: environments.join('|'), description: "which of that company's keys (default: sandbox)" },
};

/** The API as one company sees it. What was typed comes first, then the environment, then the data folder. */
export function connectCompany(input: CommandInput): FlorinClient {
  const { credentials } = readCredentials(input.environment);
  const baseUrl = input.has('url') ? input.text('url') : (credentials.baseUrl ?? defaultUrl);
  const advice = 'Give the right key with --key or FLORIN_KEY.';
  return new FlorinClient({ baseUrl, path: '/api/v1', bearer: keyOf(input), advice });
}

function keyOf(input: CommandInput): string {
  if (input.has('key')) return input.text('key');
  const key = input.environment.FLORIN_KEY?.trim();
  if (key && !input.has('company')) return key;
  return keyInCredentials(input);
}

function keyInCredentials(input: CommandInput): string {
  const { file, credentials } = readCredentials(input.environment);
  const companies = credentials.companies ?? [];
  const environment = input.has('environment') ? input.oneOf('environment', environments) : 'sandbox';
  const names = companies.map(({ name }) => `"${name}"`).join(' or ');
  const name = input.has('company') ? input.text('company') : undefined;
  const company = companies.find((candidate) => candidate.name === name);
  const key = company?.keys[environment];
  if (key !== undefined) return key;
  if (company !== undefined)
    throw new UsageError(`${file} has no ${environment} key of ${company.name}; give one with --key`);
  const choice = names && `, or a company of ${file} with --company ${names}`;
  if (name !== undefined) throw new UsageError(`${file} knows no company ${name}; give a key with --key${choice}`);
  throw new UsageError(`Whose events? Give an API key with --key or FLORIN_KEY${choice}`);
}

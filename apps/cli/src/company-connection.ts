import { environments } from '@florin/companies-domain';
import type { Command } from 'commander';
import type { CliContext } from './cli-context';
import { UsageError } from './cli-errors';
import { defaultUrl, readCredentials } from './connection';
import { FlorinClient } from './florin-client';
import { environmentOption } from './option-values';

export interface CompanyOptions {
  readonly key?: string;
  readonly company?: string;
  readonly environment?: string;
}

const keyPrefixes = { sandbox: 'fl_test_', live: 'fl_live_' } as const;

/** The options that select the company and the environment that a command acts for. */
export function addCompanyOptions(command: Command): Command {
  const text = "which of that company's keys (default: sandbox); with a key: what it must belong to";
  return addSandboxOptions(command).addOption(environmentOption(text));
}

/** Those of a command that works only in the sandbox. */
export function addSandboxOptions(command: Command): Command {
  return command
    .option('--key <key>', 'API key of the company (default: FLORIN_KEY)')
    .option('--company <name>', 'name of a company in credentials.json, instead of a key');
}

/** The API with the key of one company. Options override the environment, which overrides credentials.json. */
export function connectCompany(context: CliContext, options: CompanyOptions): FlorinClient {
  const { credentials } = readCredentials(context.environment);
  return new FlorinClient({
    baseUrl: context.options.url ?? credentials.baseUrl ?? defaultUrl,
    path: '/api/v1',
    bearer: companyKey(context, options),
    adviceOn401: 'Set the correct key with --key or FLORIN_KEY.',
  });
}

export function companyKey(context: CliContext, options: CompanyOptions): string {
  const variable = options.company === undefined ? context.environment.FLORIN_KEY?.trim() : undefined;
  const key = options.key ?? variable;
  if (!key) return keyInCredentials(context, options);
  const owner = environments.find((environment) => key.startsWith(keyPrefixes[environment]));
  if (options.environment === undefined || owner === undefined || owner === options.environment) return key;
  throw new UsageError(`The key belongs to ${owner}, not to ${options.environment}. Correct --environment or the key.`);
}

function keyInCredentials(context: CliContext, { company: name, environment = 'sandbox' }: CompanyOptions): string {
  const { file, credentials } = readCredentials(context.environment);
  const companies = credentials.companies ?? [];
  const company = companies.find((candidate) => candidate.name === name);
  const key = company?.keys[environment];
  if (key !== undefined) return key;
  if (company !== undefined) {
    throw new UsageError(`${file} has no ${environment} key for ${company.name}. Set one with --key.`);
  }
  const names = companies.map((candidate) => `"${candidate.name}"`).join(' or ');
  const advice = `Set --key or FLORIN_KEY${names && `, or choose from ${file}: --company ${names}`}.`;
  throw new UsageError(name === undefined ? `No API key. ${advice}` : `${file} has no company ${name}. ${advice}`);
}

import { type ApiKeyCommand, type CompanyCommand, type Environment, scopes } from '@florin/companies-domain';
import type { CommandBus, EventStore } from '@florin/event-sourcing';
import { generateApiKey } from '@florin/http-api';
import { type Clock, deterministicId, sha256 } from '@florin/kernel';
import type { HolderVault } from '@florin/operations-domain';
import type { Log } from '../log';
import type { CompanyCredentials } from './credentials';
import { seedCatalog } from './demo-catalog';
import { seedHolders } from './demo-holders';
import { execute, hasEvents } from './demo-log';

const demoCompanies = [
  { name: 'Acme Corporation', kind: 'corporate', activations: ['direct_invoices', 'services'] },
  { name: 'Ida Individual', kind: 'individual', activations: [] },
] as const;

const context = 'companies';
const environments = ['sandbox', 'live'] as const;
const keyLifeMs = 365 * 24 * 60 * 60 * 1000;
const overlapMs = 24 * 60 * 60 * 1000;

export interface DemoSeed {
  readonly bus: CommandBus;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly vault: HolderVault;
  readonly log: Pick<Log, 'warn'>;
  /** The credentials of an earlier start. */
  readonly known: readonly CompanyCredentials[];
  /** Called before a key is issued, so that the secret of every issued key is known. */
  readonly save: (companies: readonly CompanyCredentials[]) => void;
}

/**
 * Creates the products and two demo companies with holders on the first start. Ids are derived from names and commands are
 * idempotent, so the next start completes an interrupted one, and later starts do not undo changes by operators.
 */
export async function seedDemo(seed: DemoSeed): Promise<void> {
  const isNew = !(await isComplete(seed.store));
  const companies = demoCompanies.map((company) => ({ ...company, credentials: credentialsFor(company, seed.known) }));
  await seedCatalog(seed.bus, seed.store);
  seed.save(companies.map(({ credentials }) => credentials));
  for (const { credentials, activations } of companies) {
    if (isNew) await register(seed, credentials, activations);
    for (const environment of environments) {
      await seedHolders(seed, credentials.id, environment);
      await provideKey(seed, credentials, environment);
    }
  }
}

type DemoCompany = (typeof demoCompanies)[number];

function credentialsFor({ name, kind }: DemoCompany, known: readonly CompanyCredentials[]): CompanyCredentials {
  const id = companyIdOf(name);
  const existing = known.find((company) => company.id === id);
  const keys = existing?.keys ?? { sandbox: generateApiKey('sandbox').key, live: generateApiKey('live').key };
  return { id, name, kind, keys };
}

async function register(
  { bus }: DemoSeed,
  { id, name, kind }: CompanyCredentials,
  activations: DemoCompany['activations'],
) {
  // Request ids are derived from the setting, so a repetition does not undo a later change by an operator.
  const requestId = (name: string): string => deterministicId('demo request', id, name);
  const commands: CompanyCommand[] = [
    { type: 'RegisterCompany', data: { companyId: id, name, kind } },
    { type: 'SetVerification', data: { companyId: id, status: 'approved', requestId: requestId('verification') } },
    ...activations.map((capability): CompanyCommand => ({
      type: 'SetActivation',
      data: { companyId: id, capability, active: true, requestId: requestId(capability) },
    })),
  ];
  for (const command of commands) {
    const refusal = await execute(bus, { context, key: id, command });
    if (refusal) throw new Error(`The demo company ${name} could not be registered: ${refusal.message}`);
  }
}

/**
 * Issues the key or, if it exists, rotates it to the secret of the credentials file, which is new if the file was lost. A
 * secret that the key has had before changes nothing. Revoked and expired keys are not touched.
 */
async function provideKey(seed: DemoSeed, company: CompanyCredentials, environment: Environment): Promise<void> {
  const keyId = keyIdOf(company.id, environment);
  const key = company.keys[environment];
  const secret = { secretHash: sha256(key), hint: key.slice(-4) };
  const now = seed.clock.now();
  const later = (milliseconds: number): string => new Date(now.getTime() + milliseconds).toISOString();
  const issue: ApiKeyCommand = {
    type: 'IssueApiKey',
    data: {
      keyId,
      companyId: company.id,
      environment,
      name: `Demo ${environment}`,
      scopes: [...scopes],
      ...secret,
      issuedAt: now.toISOString(),
      expiresAt: later(keyLifeMs),
    },
  };
  const exists = (await execute(seed.bus, { context, key: keyId, command: issue })) !== undefined;
  if (!exists) return;
  const rotate: ApiKeyCommand = {
    type: 'RotateApiKey',
    data: { keyId, ...secret, rotatedAt: now.toISOString(), overlapUntil: later(overlapMs) },
  };
  const refusal = await execute(seed.bus, { context, key: keyId, command: rotate });
  if (refusal === undefined) return;
  const consequence = 'The demo key in credentials.json does not work; create another with `florin keys create`';
  seed.log.warn({ keyId, company: company.name, environment, reason: refusal.message }, consequence);
}

/** Seeding issues this key last. */
async function isComplete(store: EventStore): Promise<boolean> {
  const last = keyIdOf(companyIdOf(demoCompanies[demoCompanies.length - 1]!.name), environments[1]);
  return hasEvents(store, `apikey-${last}`);
}

function companyIdOf(name: string): string {
  return deterministicId('demo company', name);
}

function keyIdOf(companyId: string, environment: Environment): string {
  return deterministicId('demo key', companyId, environment);
}

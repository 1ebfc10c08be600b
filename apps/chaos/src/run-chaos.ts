import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPool } from '@florin/database';
import { KeyRing } from '@florin/kernel';
import { checks } from './checks';
import type { Evidence, CheckResult } from './checks/check';
import { History } from './checks/history';
import type { CommandLine } from './command-line';
import { Injector } from './faults/injector';
import { planFaults } from './faults/schedule';
import { Api } from './load/api';
import { type Availability, availabilityOf } from './load/availability';
import { Journal } from './load/journal';
import type { LoadAccount } from './load/load-account';
import { LoadClient } from './load/load-client';
import { prepareAccounts } from './load/prepare-accounts';
import { Reviewer } from './load/reviewer';
import type { Random } from './random';
import { waitUntilSettled } from './settle';
import { readDeadLetters } from './environment/dead-letters';
import { type ChaosEnvironment, type Log, vaultKey } from './environment/environment';
import { openStore, type OpenStore } from './environment/open-store';

const companies = 3;
const clientsPerAccount = 4;
const maxWrites = 20_000;
/** How long clients keep retrying after the last fault. */
const retryTimeoutMs = 60_000;

export interface CheckReport extends CheckResult {
  readonly name: string;
}

export interface ChaosReport {
  readonly faults: readonly string[];
  /** Faults that could not be undone, and what did not settle. */
  readonly leftovers: readonly string[];
  readonly checks: readonly CheckReport[];
  readonly availability: Availability;
}

/** Runs load and faults together, waits until the system has settled, and runs the checks. */
export async function runChaos(
  environment: ChaosEnvironment,
  options: CommandLine,
  random: Random,
  log: Log,
): Promise<ChaosReport> {
  const { composition, chain, database, broker, duplicator, eventStore } = environment;
  const { operatorToken } = composition;
  const api = new Api(composition.baseUrls, random.fork('addresses'));
  const journal = new Journal(api, random.fork('pauses'));
  log('Creating companies');
  const accounts = await prepareAccounts({ api, chain, operatorToken, companies });

  const faults = planFaults(random.fork('faults'), options);
  log(`${accounts.length * clientsPerAccount} clients started; ${faults.length} faults planned`);
  const untilMs = Date.now() + options.durationMs;
  const clients = clientsOf(environment, journal, accounts, random).map((client) => client.run(untilMs, maxWrites));
  const reviewer = new Reviewer({ api, journal, random: random.fork('reviewer'), operatorToken, accounts });
  const reviews = reviewer.run(untilMs);
  const injector = new Injector({ composition, database, broker, duplicator, eventStore }, log);
  const failures = await injector.run(faults);
  journal.stopRetryingAfter(Math.max(0, untilMs - Date.now()) + retryTimeoutMs);
  await Promise.all([...clients, reviews]);
  await duplicator?.stop();
  chain.stopMining();

  log(`Load finished: ${journal.writes.length} writes and ${journal.reads} reads; waiting for the system to settle`);
  const pool = createPool(database.connection, { max: 1 });
  const store = openStore(environment);
  try {
    const unsettled = await waitUntilSettled(composition, pool, store);
    const availability = availabilityOf(journal.writes);
    const report = { faults: injector.done, leftovers: [...failures, ...unsettled], availability };
    return { ...report, checks: await runChecks(environment, store, { api, accounts, journal }, log) };
  } finally {
    await Promise.all([pool.end(), store.close()]);
  }
}

function clientsOf(
  { chain }: ChaosEnvironment,
  journal: Journal,
  accounts: readonly LoadAccount[],
  random: Random,
): readonly LoadClient[] {
  return accounts.flatMap((account) =>
    Array.from({ length: clientsPerAccount }, (_, index) => {
      const own = random.fork(`${account.name} client ${index}`);
      return new LoadClient({ account, journal, chain, random: own, createsInvoices: index === 0 });
    }),
  );
}

async function runChecks(
  { database, broker, issuer, chain, composition, dataDirectory }: ChaosEnvironment,
  store: OpenStore,
  load: Pick<Evidence, 'api' | 'accounts' | 'journal'>,
  log: Log,
): Promise<readonly CheckReport[]> {
  const evidence: Evidence = {
    ...{ ...load, store, database: database.connection, issuerCalls: issuer.calls },
    ...{ payments: [...chain.payments.values()], history: await History.read(store) },
    emptyDatabase: () => database.another('rebuilt'),
    vaultKeys: new KeyRing([vaultKey]),
    problems: () => composition.problems(),
    deadLetters: async () => (broker === undefined ? [] : readDeadLetters(broker.administrator)),
  };
  writeFileSync(join(dataDirectory, 'writes.json'), JSON.stringify(load.journal.writes, withoutKeys, 1));
  log(`Checking a log of ${evidence.history.size} events`);
  const reports: CheckReport[] = [];
  for (const { name, run } of checks) {
    reports.push({ name, ...(await run(evidence).catch(asFinding)) });
    log(`Checked: ${name}`);
  }
  return reports;
}

/** A check that throws has failed. */
function asFinding(error: unknown): CheckResult {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { examined: 'nothing', findings: [`it threw: ${problem}`] };
}

function withoutKeys(name: string, value: unknown): unknown {
  return name === 'key' || name === 'token' || name === 'holderIds' ? undefined : value;
}

export function hasPassed({ leftovers, checks: reports }: ChaosReport): boolean {
  return leftovers.length === 0 && reports.every(({ findings }) => findings.length === 0);
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPool } from '@florin/database';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { checks } from './checks';
import type { Evidence, Verdict } from './checks/check';
import { History } from './checks/history';
import type { CommandLine } from './command-line';
import { Injector } from './faults/injector';
import { planFaults } from './faults/schedule';
import { Api } from './load/api';
import { Journal } from './load/journal';
import type { LoadAccount } from './load/load-account';
import { LoadClient } from './load/load-client';
import { prepareAccounts } from './load/prepare-accounts';
import { Reviewer } from './load/reviewer';
import type { Random } from './random';
import { untilSettled } from './settle';
import { readDeadLetters } from './world/dead-letters';
import type { Tell, World } from './world/world';

const companies = 3;
const clientsPerAccount = 4;
const mostWrites = 20_000;
/** How long clients go on asking about what they do not know once nothing is broken any more. */
const patienceMs = 60_000;

export interface CheckReport extends Verdict {
  readonly name: string;
}

export interface ChaosReport {
  readonly faults: readonly string[];
  /** What could not be brought back or did not come to rest by itself. */
  readonly leftovers: readonly string[];
  readonly checks: readonly CheckReport[];
}

/** Load and faults together, then quiet, then the checks. */
export async function runChaos(world: World, options: CommandLine, random: Random, tell: Tell): Promise<ChaosReport> {
  const { composition, chain, database, broker, duplicator } = world;
  const { operatorToken } = composition;
  const api = new Api(composition.baseUrls, random.fork('addresses'));
  const journal = new Journal(api, random.fork('pauses'));
  tell('Preparing companies');
  const accounts = await prepareAccounts({ api, chain, operatorToken, companies });

  const faults = planFaults(random.fork('faults'), options);
  tell(`${accounts.length * clientsPerAccount} clients begin; ${faults.length} faults will follow`);
  const untilMs = Date.now() + options.durationMs;
  const clients = clientsOf(world, journal, accounts, random).map((client) => client.run(untilMs, mostWrites));
  const reviewer = new Reviewer({ api, journal, random: random.fork('reviewer'), operatorToken, accounts });
  const reviews = reviewer.run(untilMs);
  const injector = new Injector({ composition, database, broker, duplicator }, tell);
  const failures = await injector.run(faults);
  journal.giveUpAfter(Math.max(0, untilMs - Date.now()) + patienceMs);
  await Promise.all([...clients, reviews]);
  await duplicator?.stop();
  chain.rest();

  tell(`Quiet: ${journal.writes.length} writes and ${journal.reads} reads were made; waiting for everything to settle`);
  const pool = createPool(database.connection, { max: 1 });
  const unsettled = await untilSettled(composition, pool).finally(() => pool.end());
  const report = { faults: injector.done, leftovers: [...failures, ...unsettled] };
  return { ...report, checks: await runChecks(world, { api, accounts, journal }, tell) };
}

function clientsOf(
  { chain }: World,
  journal: Journal,
  accounts: readonly LoadAccount[],
  random: Random,
): readonly LoadClient[] {
  return accounts.flatMap((account) =>
    Array.from({ length: clientsPerAccount }, (_, index) => {
      const own = random.fork(`${account.name} client ${index}`);
      return new LoadClient({ account, journal, chain, random: own, makesInvoices: index === 0 });
    }),
  );
}

async function runChecks(
  { database, broker, issuer, chain, composition, dataDirectory }: World,
  load: Pick<Evidence, 'api' | 'accounts' | 'journal'>,
  tell: Tell,
): Promise<readonly CheckReport[]> {
  const store = new PostgresEventStore(database.connection);
  try {
    const evidence: Evidence = {
      ...{ ...load, store, database: database.connection, issuerCalls: issuer.calls },
      ...{ payments: [...chain.payments.values()], history: await History.read(store) },
      emptyDatabase: () => database.another('rebuilt'),
      problems: () => composition.problems(),
      deadLetters: async () => (broker === undefined ? [] : readDeadLetters(broker.address)),
    };
    writeFileSync(join(dataDirectory, 'writes.json'), JSON.stringify(load.journal.writes, withoutKeys, 1));
    tell(`Checking a log of ${evidence.history.size} events`);
    const reports: CheckReport[] = [];
    for (const { name, run } of checks) {
      reports.push({ name, ...(await run(evidence).catch(asFinding)) });
      tell(`Checked whether ${name}`);
    }
    return reports;
  } finally {
    await store.close();
  }
}

/** A check that cannot be carried out has not been passed. */
function asFinding(error: unknown): Verdict {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { examined: 'nothing', findings: [`it could not be carried out: ${problem}`] };
}

function withoutKeys(name: string, value: unknown): unknown {
  return name === 'key' || name === 'token' || name === 'holderIds' ? undefined : value;
}

export function isSound({ leftovers, checks: reports }: ChaosReport): boolean {
  return leftovers.length === 0 && reports.every(({ findings }) => findings.length === 0);
}

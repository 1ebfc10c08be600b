import { BusKeys } from '@florin/bus-trust';
import { type DatabaseRole, temporaryDataDirectory } from '@florin/database';
import type { IssuerSimulator } from '@florin/issuer-simulator';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandLine } from '../command-line';
import { Duplicator } from '../faults/duplicator';
import type { Random } from '../random';
import { administratorClient } from './administrator-client';
import { startAllInOne } from './all-in-one';
import { ChaosBroker } from './chaos-broker';
import { ChaosDatabase } from './chaos-database';
import { ChaosEventStore } from './chaos-event-store';
import { startCluster } from './cluster-composition';
import type { Composition } from './composition';
import { LiveChain } from './live-chain';
import { issuerTimeoutMs, startUnreliableIssuer } from './unreliable-issuer';

const secret = 'a-secret-shared-with-the-issuer';

/** Wraps the keys in the vault; the checks read them with it. */
export const vaultKey = randomBytes(32);

/** The product and everything around it that can fail. */
export interface ChaosEnvironment {
  readonly dataDirectory: string;
  readonly database: ChaosDatabase;
  readonly broker?: ChaosBroker;
  readonly eventStore?: ChaosEventStore;
  readonly duplicator?: Duplicator;
  readonly issuer: IssuerSimulator;
  readonly chain: LiveChain;
  readonly composition: Composition;
  stop(): Promise<void>;
}

export type Log = (line: string) => void;

export function newDataDirectory(): string {
  const directory = temporaryDataDirectory('florin-chaos-');
  mkdirSync(join(directory, 'logs'));
  return directory;
}

export function removeDataDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

export async function startEnvironment(
  dataDirectory: string,
  { composition: name, eventStore: storeName, replicas }: CommandLine,
  random: Random,
  log: Log,
): Promise<ChaosEnvironment> {
  const cleanUp: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  const toFile = (process: string, line: string): void =>
    appendFileSync(join(dataDirectory, 'logs', `${process}.log`), `${line}\n`);
  try {
    const database = await ChaosDatabase.start(dataDirectory);
    cleanUp.push(() => database.stop());
    const broker = name === 'cluster' ? await startBroker(dataDirectory, toFile, log) : undefined;
    if (broker !== undefined) cleanUp.push(() => broker.stop());
    if (storeName !== 'postgres') log('Starting EventStoreDB');
    const toStoreFile = (line: string): void => toFile('eventstoredb', line);
    const eventStore =
      storeName === 'postgres' ? undefined : await ChaosEventStore.start(storeName, dataDirectory, toStoreFile);
    if (eventStore !== undefined) cleanUp.push(() => eventStore.stop());
    const journal = join(dataDirectory, 'issuer-calls.jsonl');
    const issuer = await startUnreliableIssuer(secret, journal, random.fork('issuer'));
    cleanUp.push(() => issuer.close());
    const chain = await LiveChain.start();
    cleanUp.push(() => chain.stop());
    const busKeys = BusKeys.generate();
    const env = {
      ...settings(issuer, chain),
      ...(broker !== undefined && { BUS_KEYS: String(busKeys) }),
    };
    const databaseUrlFor = (role: DatabaseRole): string => database.urlFor(role);
    const eventStoreUrl = eventStore && { eventStoreUrl: eventStore.url };
    const options = { dataDirectory, databaseUrlFor, env, ...eventStoreUrl, replicas, onLine: toFile };
    log(`Starting the product (${name}, ${storeName})`);
    const composition =
      broker === undefined ? await startAllInOne(options) : await startCluster({ ...options, broker });
    cleanUp.push(() => composition.stop());
    const duplicator = broker && duplicatorOf(broker, busKeys, random);
    await duplicator?.start();
    if (duplicator !== undefined) cleanUp.push(() => duplicator.stop());
    return {
      ...{ dataDirectory, database, issuer, chain, composition, stop },
      ...(broker !== undefined && { broker }),
      ...(eventStore !== undefined && { eventStore }),
      ...(duplicator !== undefined && { duplicator }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startBroker(
  dataDirectory: string,
  toFile: (process: string, line: string) => void,
  log: Log,
): Promise<ChaosBroker> {
  log('Starting Kafka');
  return ChaosBroker.start(dataDirectory, (line) => toFile('kafka', line));
}

function duplicatorOf({ administrator }: ChaosBroker, busKeys: BusKeys, random: Random): Duplicator {
  const kafka = administratorClient(administrator);
  return new Duplicator({ kafka, topicPrefix: '', busKeys, random: random.fork('copies') });
}

function settings(issuer: IssuerSimulator, chain: LiveChain): Record<string, string> {
  return {
    ...{ RATE_LIMIT_LIVE: '0', RATE_LIMIT_SANDBOX: '0', LOG_LEVEL: 'info' },
    ...{ ISSUER_URL: issuer.url, ISSUER_SECRET: secret, ISSUER_TIMEOUT_SECONDS: String(issuerTimeoutMs / 1_000) },
    VAULT_KEY: vaultKey.toString('base64'),
    ...chain.settings,
  };
}

import { findEventStoreDb } from '@florin/dev-platform';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLine, createCommand, readCommandLine } from './command-line';
import { Random } from './random';
import { asText } from './report';
import { type ChaosReport, hasPassed, runChaos } from './run-chaos';
import {
  newDataDirectory,
  removeDataDirectory,
  startEnvironment,
  type ChaosEnvironment,
} from './environment/environment';

const eventStoreDbRemedy = 'Set EVENTSTOREDB_RUN to a command that starts one (docs/CLUSTER.md).';
const startedAt = Date.now();
const log = (line: string): void =>
  console.log(`[${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s] ${line}`);

async function main(): Promise<void> {
  const options = readCommandLine(createCommand(randomInt(2 ** 31)).parse());
  if (options.eventStore !== 'postgres' && findEventStoreDb(process.env) === undefined) {
    return log(`Skipped: no EventStoreDB found. ${eventStoreDbRemedy}`);
  }
  const dataDirectory = newDataDirectory();
  log(`Seed ${options.seed}; logs and data in ${dataDirectory}`);
  const random = new Random(String(options.seed));
  const starting = startEnvironment(dataDirectory, options, random, log);
  // Waits for a start in progress: interrupted halfway, it would leave servers behind.
  const interrupt = (): void => void starting.then((started) => started.stop()).finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  const environment = await starting;
  let report: ChaosReport | undefined;
  try {
    report = await runChaos(environment, options, random, log);
  } finally {
    await environment.stop();
    log('Stopped');
  }
  conclude(report, options, environment);
}

function conclude(report: ChaosReport, options: CommandLine, { dataDirectory, duplicator }: ChaosEnvironment): void {
  const copies = duplicator === undefined ? '' : `, ${duplicator.copies} commands sent twice`;
  const passed = hasPassed(report);
  console.log(`\n${asText(report)}\n\nSeed ${options.seed}: ${report.faults.length} faults${copies}.`);
  if (passed && !options.keep) return removeDataDirectory(dataDirectory);
  writeFileSync(join(dataDirectory, 'report.json'), JSON.stringify({ ...options, ...report }, undefined, 1));
  console.log(`The evidence is in ${dataDirectory}: report.json, writes.json, issuer-calls.jsonl, logs.`);
  if (!passed) process.exitCode = 1;
}

main()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  })
  // Everything has stopped; a Kafka client that still tries to reconnect must not keep the process alive.
  .finally(() => process.exit());

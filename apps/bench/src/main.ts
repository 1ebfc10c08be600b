import { appendsBench } from './appends/appends.bench';
import type { Bench } from './bench';
import { startBenchServer } from './bench-server';
import { catchUpBench } from './catch-up/catch-up.bench';
import { clusterBench } from './cluster/cluster.bench';
import { type CommandLine, readCommandLine, usage } from './command-line';
import { firstLookBench } from './first-look/first-look.bench';
import { fundingBench } from './funding/funding.bench';
import { moneyBench } from './money/money.bench';
import { operationsBench } from './operations/operations.bench';
import { soakBench } from './operations/soak.bench';
import { asTable, type BenchResult, writeJson } from './report';
import { tronBench } from './tron/tron.bench';
import { webhooksBench } from './webhooks/webhooks.bench';

const benches: readonly Bench[] = [
  appendsBench,
  catchUpBench,
  firstLookBench,
  fundingBench,
  operationsBench,
  moneyBench,
  tronBench,
  webhooksBench,
  clusterBench,
  soakBench,
];

async function main(): Promise<void> {
  const commandLine = readCommandLine(process.argv.slice(2), benches);
  if (commandLine.help) return console.log(usage(benches));
  const results = await runAll(commandLine);
  for (const result of results) console.log(`\n${asTable(result)}`);
  writeJson(commandLine.jsonFile, results);
  console.log(`\nWritten to ${commandLine.jsonFile}`);
}

async function runAll({ selected, durationMs, rounds }: CommandLine): Promise<BenchResult[]> {
  const server = await startBenchServer();
  const interrupt = (): void => void server.stop().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  const results: BenchResult[] = [];
  try {
    for (const bench of selected) {
      const progress = (message: string): void => console.error(`${bench.name}: ${message}`);
      const { name, title } = bench;
      const context = { createDatabase: server.createDatabase, durationMs, rounds, progress };
      results.push({ bench: { name, title }, rows: await bench.run(context) });
    }
  } finally {
    await server.stop();
  }
  return results;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

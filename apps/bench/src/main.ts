import { appendsBench } from './appends/appends.bench';
import { auditsBench } from './audits/audits.bench';
import type { Bench } from './bench';
import { startBenchServer } from './bench-server';
import { bulkBench } from './bulk/bulk.bench';
import { catchUpBench } from './catch-up/catch-up.bench';
import { clusterBench } from './cluster/cluster.bench';
import { coldLoadBench } from './cold-load/cold-load.bench';
import { type BenchOptions, createCommand } from './command-line';
import { costBench } from './cost/cost.bench';
import { latencyBench } from './cost/latency.bench';
import { eventStoreDbBench } from './eventstoredb/eventstoredb.bench';
import { fundingBench } from './funding/funding.bench';
import { growthBench } from './growth/growth.bench';
import { moneyBench } from './money/money.bench';
import { neighboursBench } from './neighbours/neighbours.bench';
import { operationsBench } from './operations/operations.bench';
import { soakBench } from './operations/soak.bench';
import { signaturesBench } from './signatures/signatures.bench';
import { asTable, type BenchResult, writeJson } from './report';
import { tronBench } from './tron/tron.bench';
import { webhooksBench } from './webhooks/webhooks.bench';

const benches: readonly Bench[] = [
  appendsBench,
  catchUpBench,
  coldLoadBench,
  fundingBench,
  operationsBench,
  costBench,
  bulkBench,
  latencyBench,
  moneyBench,
  signaturesBench,
  tronBench,
  webhooksBench,
  neighboursBench,
  clusterBench,
  eventStoreDbBench,
  auditsBench,
  growthBench,
  soakBench,
];

async function run(options: BenchOptions): Promise<void> {
  const results = await runAll(options);
  for (const result of results) console.log(`\n${asTable(result)}`);
  writeJson(options.json, results);
  console.log(`\nResults written to ${options.json}`);
}

async function runAll({ only: selected = benches, duration, rounds, millions }: BenchOptions): Promise<BenchResult[]> {
  const server = await startBenchServer();
  const interrupt = (): void => void server.stop().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  const results: BenchResult[] = [];
  try {
    for (const bench of selected) {
      const progress = (message: string): void => console.error(`${bench.name}: ${message}`);
      const { name, title } = bench;
      const { createDatabase } = server;
      const context = { createDatabase, durationMs: duration * 1_000, rounds, millions, progress };
      results.push({ bench: { name, title }, rows: await bench.run(context) });
    }
  } finally {
    await server.stop();
  }
  return results;
}

createCommand(benches)
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });

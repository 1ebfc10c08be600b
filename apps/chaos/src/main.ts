import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLine, readCommandLine, usage } from './command-line';
import { Random } from './random';
import { asText } from './report';
import { type ChaosReport, isSound, runChaos } from './run-chaos';
import { newDataDirectory, removeDataDirectory, startWorld, type World } from './world/world';

const begun = Date.now();
const tell = (line: string): void =>
  console.log(`[${((Date.now() - begun) / 1_000).toFixed(1).padStart(6)} s] ${line}`);

async function main(): Promise<void> {
  const options = readCommandLine(process.argv.slice(2), randomInt(2 ** 31));
  if (options.help) return console.log(usage());
  const dataDirectory = newDataDirectory();
  tell(`Seed ${options.seed}; logs and data in ${dataDirectory}`);
  const random = new Random(String(options.seed));
  const starting = startWorld(dataDirectory, options, random, tell);
  // A start that is under way is completed first: cut off half-way it would leave servers behind.
  const interrupt = (): void => void starting.then((started) => started.stop()).finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  const world = await starting;
  let report: ChaosReport | undefined;
  try {
    report = await runChaos(world, options, random, tell);
  } finally {
    await world.stop();
    tell('Stopped');
  }
  conclude(report, options, world);
}

function conclude(report: ChaosReport, options: CommandLine, { dataDirectory, duplicator }: World): void {
  const copies = duplicator === undefined ? '' : `, ${duplicator.copies} commands sent twice`;
  const sound = isSound(report);
  console.log(`\n${asText(report)}\n\nSeed ${options.seed}: ${report.faults.length} faults${copies}.`);
  if (sound && !options.keep) return removeDataDirectory(dataDirectory);
  writeFileSync(join(dataDirectory, 'report.json'), JSON.stringify({ ...options, ...report }, undefined, 1));
  console.log(`Everything to look into it is in ${dataDirectory}: report.json, writes.json, issuer-calls.jsonl, logs.`);
  if (!sound) process.exitCode = 1;
}

main()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  })
  // Everything has been stopped by now; a client that is still looking for its broker must not keep the process alive.
  .finally(() => process.exit());

import { Command, InvalidArgumentError, Option } from 'commander';
import type { Bench } from './bench';

export interface BenchOptions {
  readonly only?: readonly Bench[];
  /** Seconds. */
  readonly duration: number;
  readonly rounds: number;
  readonly millions: readonly number[];
  readonly json: string;
}

export function createCommand(benches: readonly Bench[]): Command {
  const list = benches.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n');
  return new Command('npm run bench --')
    .description(
      'Measures Florin, and what it is compared with, in the same run on the same temporary Postgres server.',
    )
    .helpOption('--help', 'show this help')
    .option('--only <name>', 'run only this benchmark; can be repeated', select(benches))
    .option('--duration <seconds>', 'duration of each run of each contestant', positive, 2)
    .option('--rounds <count>', 'number of runs that the median is taken of', (text) => Math.ceil(positive(text)), 3)
    .addOption(
      new Option('--millions <list>', 'events in the histories of "growth", in millions; 100 need 50 GB of disk')
        .argParser((text: string) => text.split(',').map(positive))
        .default([1, 10], '1,10'),
    )
    .addOption(new Option('--json <file>', 'file for the results').default(defaultFile(), 'bench-results/<time>.json'))
    .addHelpText('after', `\nBenchmarks:\n${list}`);
}

function defaultFile(): string {
  return `bench-results/${new Date().toISOString().replaceAll(':', '-')}.json`;
}

function select(benches: readonly Bench[]): (name: string, selected?: readonly Bench[]) => readonly Bench[] {
  return (name, selected = []) => {
    const bench = benches.find((candidate) => candidate.name === name || candidate.alias === name);
    if (bench) return [...selected, bench];
    throw new InvalidArgumentError(`Choose from ${benches.map((known) => known.name).join(', ')}.`);
  };
}

function positive(text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('Use a number greater than 0.');
}

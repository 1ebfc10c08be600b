import { parseArgs } from 'node:util';
import type { Bench } from './bench';

export interface CommandLine {
  readonly help: boolean;
  readonly selected: readonly Bench[];
  readonly jsonFile: string;
  readonly durationMs: number;
  readonly rounds: number;
}

export function usage(benches: readonly Bench[]): string {
  return [
    'Measures Florin on a Postgres of its own, and what it is compared with on the same server in the same run.',
    '',
    'npm run bench -- [options]',
    '  --only NAME        run only this one; may be repeated',
    '  --duration SECONDS how long each run of each contestant lasts (default 2)',
    '  --rounds COUNT     how many runs the median is taken of (default 3)',
    '  --json FILE        where to write the figures (default bench-results/<time>.json)',
    '  --help             this text',
    '',
    ...benches.map(({ name, title }) => `  ${name.padEnd(18)} ${title}`),
  ].join('\n');
}

/** Throws with a message for people when it cannot be understood. */
export function readCommandLine(args: readonly string[], benches: readonly Bench[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      duration: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'string', default: `bench-results/${new Date().toISOString().replaceAll(':', '-')}.json` },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    selected: values.only === undefined ? benches : values.only.map((name) => named(name, benches)),
    jsonFile: values.json,
    durationMs: positive('--duration', values.duration) * 1_000,
    rounds: Math.ceil(positive('--rounds', values.rounds)),
  };
}

function named(name: string, benches: readonly Bench[]): Bench {
  const bench = benches.find((candidate) => candidate.name === name);
  if (bench) return bench;
  throw new Error(`There is no bench ${name}; choose from ${benches.map((known) => known.name).join(', ')}.`);
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`${option} takes a number greater than 0, not ${text}.`);
}

import { parseArgs } from 'node:util';
import { allFaultKinds, type FaultKind, faultKinds, withoutBroker } from './faults/fault-kinds';

export const compositions = ['cluster', 'all-in-one'] as const;
export type CompositionName = (typeof compositions)[number];

export interface CommandLine {
  readonly help: boolean;
  readonly seed: number;
  readonly durationMs: number;
  readonly composition: CompositionName;
  readonly replicas: Readonly<Record<string, number>>;
  readonly kinds: readonly FaultKind[];
  readonly keep: boolean;
}

const mostMinutes = 24 * 60;
const mostReplicas = 16;

export function usage(): string {
  return [
    'Breaks a running Florin in every way it knows while clients use it; then leaves it alone and checks that nothing was',
    'lost, doubled or made up. It runs on a Postgres, a Kafka, an issuer and a chain of its own. Exit code 1: a check failed.',
    '',
    'npm run chaos -- [options]',
    '  --seed NUMBER         repeats the faults of an earlier run (default: a new one, which is printed)',
    '  --minutes NUMBER      how long things are broken (default 3)',
    '  --seconds NUMBER      the same in seconds',
    '  --composition NAME    cluster: every service as its own processes (default); all-in-one: whole products side by side',
    '  --replicas LIST       such as operations=3,gateway=1 (default: 2 of gateway, ledger, operations, projector)',
    '  --only KIND           only this kind of fault; may be repeated, or a list with commas',
    '  --keep                keeps the data folder with all logs even when everything is well',
    '  --help                this text',
    '',
    ...Object.entries(faultKinds).map(([kind, what]) => `  ${kind.padEnd(18)} ${what}`),
  ].join('\n');
}

/** Throws with a message for people when it cannot be understood. */
export function readCommandLine(args: readonly string[], randomSeed: number): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string' },
      seconds: { type: 'string' },
      composition: { type: 'string', default: 'cluster' },
      replicas: { type: 'string', default: '' },
      only: { type: 'string', multiple: true, default: [] },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const composition = oneOf('--composition', values.composition, compositions);
  return {
    ...{ help: values.help, keep: values.keep, composition },
    seed: values.seed === undefined ? randomSeed : wholeNumber('--seed', values.seed, 0, Number.MAX_SAFE_INTEGER),
    durationMs: durationOf(values.minutes, values.seconds),
    replicas: replicasOf(values.replicas),
    kinds: kindsOf(values.only, composition),
  };
}

function durationOf(minutes: string | undefined, seconds: string | undefined): number {
  if (minutes !== undefined && seconds !== undefined) throw new Error('Give --minutes or --seconds, not both.');
  if (seconds !== undefined) return wholeNumber('--seconds', seconds, 1, mostMinutes * 60) * 1_000;
  return wholeNumber('--minutes', minutes ?? '3', 1, mostMinutes) * 60_000;
}

function replicasOf(list: string): Record<string, number> {
  const pairs = list.split(',').filter((part) => part !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [service = '', count = ''] = pair.split('=', 2);
      return [service, wholeNumber(`--replicas ${service}`, count, 0, mostReplicas)];
    }),
  );
}

function kindsOf(only: readonly string[], composition: CompositionName): readonly FaultKind[] {
  const possible = composition === 'cluster' ? allFaultKinds : withoutBroker;
  const wanted = only.flatMap((list) => list.split(',')).filter((kind) => kind !== '');
  return wanted.length === 0 ? possible : wanted.map((kind) => oneOf('--only', kind, possible));
}

function oneOf<Value extends string>(option: string, text: string, values: readonly Value[]): Value {
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw new Error(`${option} takes ${values.join(', ')}; not ${text}.`);
  return value;
}

function wholeNumber(option: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= low && value <= high) return value;
  throw new Error(`${option} takes a whole number from ${low} to ${high}, not ${text === '' ? 'nothing' : text}.`);
}

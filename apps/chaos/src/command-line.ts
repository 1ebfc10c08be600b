import { wholeNumber } from '@florin/dev-platform';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  allFaultKinds,
  type EventStoreName,
  eventStores,
  type FaultKind,
  faultKinds,
  possibleFaults,
} from './faults/fault-kinds';

export const compositions = ['cluster', 'all-in-one'] as const;
export type CompositionName = (typeof compositions)[number];

export interface CommandLine {
  readonly seed: number;
  readonly durationMs: number;
  readonly composition: CompositionName;
  readonly eventStore: EventStoreName;
  readonly replicas: Readonly<Record<string, number>>;
  readonly kinds: readonly FaultKind[];
  readonly keep: boolean;
}

interface Options extends Omit<CommandLine, 'durationMs' | 'kinds'> {
  readonly minutes: number;
  readonly seconds?: number;
  readonly only: readonly FaultKind[];
}

const maxMinutes = 24 * 60;
const maxReplicas = 16;

export function createCommand(randomSeed: number): Command {
  const kinds = Object.entries(faultKinds).map(([kind, description]) => `  ${kind.padEnd(27)} ${description}`);
  return new Command('npm run chaos --')
    .description(
      'Injects faults into a running Florin while clients use it, and then checks that nothing was lost, duplicated or invented. ' +
        'It starts its own Postgres, Kafka, EventStoreDB, issuer and chain. Exit code 1: a check failed.',
    )
    .helpOption('--help', 'show this help')
    .addOption(
      new Option('--seed <number>', 'repeats the faults of an earlier run')
        .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
        .default(randomSeed, 'a new one, which is printed'),
    )
    .option('--minutes <number>', 'duration of the faults', wholeNumber(1, maxMinutes), 3)
    .addOption(
      new Option('--seconds <number>', 'the same in seconds')
        .argParser(wholeNumber(1, maxMinutes * 60))
        .conflicts('minutes'),
    )
    .addOption(
      new Option('--composition <name>', 'every service as separate processes, or several all-in-one processes')
        .choices(compositions)
        .default('cluster'),
    )
    .addOption(
      new Option('--event-store <name>', 'where the log is; needs a command that starts EventStoreDB (docs/CLUSTER.md)')
        .choices(eventStores)
        .default('postgres'),
    )
    .addOption(
      new Option('--replicas <list>', 'such as operations=3,gateway=1')
        .argParser(replicasIn)
        .default({}, '2 of gateway, ledger, operations and projector'),
    )
    .addOption(
      new Option('--only <kind>', 'only this kind of fault; can be repeated, or a list with commas')
        .argParser(addKinds)
        .default([], 'all'),
    )
    .option('--keep', 'keep the data folder with all logs even when all checks pass', false)
    .addHelpText('after', `\nFaults:\n${kinds.join('\n')}`);
}

/** The options of a parsed command. */
export function readCommandLine(command: Command): CommandLine {
  const { minutes, seconds, only, ...rest } = command.opts<Options>();
  const { composition, eventStore } = rest;
  const possible = possibleFaults(composition === 'cluster', eventStore);
  const impossible = only.filter((kind) => !possible.includes(kind));
  if (impossible.length > 0) {
    const setting = `--composition ${composition} --event-store ${eventStore}`;
    command.error(`error: ${impossible.join(', ')} is not possible with ${setting}`);
  }
  const durationMs = seconds === undefined ? minutes * 60_000 : seconds * 1_000;
  return { ...rest, durationMs, kinds: only.length === 0 ? possible : only };
}

function replicasIn(list: string): Record<string, number> {
  const pairs = list.split(',').filter((part) => part !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [service = '', count = ''] = pair.split('=', 2);
      return [service, wholeNumber(0, maxReplicas)(count)];
    }),
  );
}

function addKinds(list: string, earlier: readonly FaultKind[]): readonly FaultKind[] {
  const names = list.split(',').filter((name) => name !== '');
  const kinds = allFaultKinds.filter((kind) => names.includes(kind));
  if (kinds.length === new Set(names).size) return [...earlier, ...kinds];
  throw new InvalidArgumentError(`Choose from ${allFaultKinds.join(', ')}.`);
}

import { serviceNames } from '@florin/dev-platform';
import { Command } from 'commander';

export interface Arguments {
  readonly options: Partial<Record<OptionName, string>>;
  /** `NAME=value` arguments: defaults that the environment overrides. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

const examples = {
  replicas: 'operations=2,ledger=2',
  'event-store': 'eventstoredb',
  port: '3000',
  data: '.florin/cluster',
  logs: 'operations,ledger',
} as const;

export type OptionName = keyof typeof examples;

/** Option values are optional here, so that a missing one is reported together with all other problems. */
export function createCommand(): Command {
  return new Command('npm run cluster --')
    .usage('[options] [NAME=value …]')
    .description('Starts every service as a separate process, on a real Kafka and a Postgres.')
    .helpOption('--help', 'show this help')
    .option(
      '--replicas [service=number,…]',
      'replicas of a service, such as operations=2; 0 leaves it out (default: 1)',
    )
    .option(
      '--event-store [name]',
      'postgres (default), or eventstoredb at EVENTSTORE_URL or started with EVENTSTOREDB_RUN',
    )
    .option('--port [number]', 'port of the API (default 3000; 0: a free port)')
    .option('--data [folder]', 'folder for all data (default .florin/cluster)')
    .option('--logs [names]', 'all, none, warn, or names such as operations,kafka (terminal: warn, otherwise: all)')
    .addHelpText(
      'after',
      `
Services: ${serviceNames.join(', ')}. tron-watcher runs only with TRON_NODE_URL.

PORT, FLORIN_DATA_DIR and EVENT_STORE can be used instead of the options. KAFKA_BROKERS, DATABASE_URL and EVENTSTORE_URL
name existing servers; none are started then. EVENTSTOREDB_RUN names a command that starts an EventStoreDB. All other
variables are passed to the services. NAME=value arguments set defaults; environment variables override them. Ctrl-C
stops everything in order; a second one stops it at once.`,
    );
}

/** Unlike `command.parse`, it collects all problems. */
export function readArguments(args: readonly string[]): Arguments {
  const command = createCommand();
  const { operands, unknown } = command.parseOptions([...args]);
  const values = command.opts<Record<string, string | true>>();
  const problems: string[] = [];
  const options: Partial<Record<OptionName, string>> = {};
  for (const name of Object.keys(examples) as OptionName[]) {
    const value = values[name === 'event-store' ? 'eventStore' : name];
    if (value === true || value === '') problems.push(`--${name} needs a value, such as --${name} ${examples[name]}`);
    else if (value !== undefined) options[name] = value;
  }
  const defaults: Record<string, string> = {};
  for (const argument of [...unknown, ...operands]) {
    const [, variable, setting = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(argument) ?? [];
    if (variable !== undefined) defaults[variable] = setting;
    else if (argument.startsWith('-')) problems.push(`${argument} is not an option: ${known()}`);
    else problems.push(`${argument} is neither an option nor NAME=value: ${known()}`);
  }
  return { options, defaults, problems };
}

function known(): string {
  return `use ${Object.keys(examples)
    .map((name) => `--${name}`)
    .join(', ')} or --help`;
}

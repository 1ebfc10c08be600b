import { countReplicas, type EventStoreKind, type ServiceName, serviceNames } from '@florin/dev-platform';
import { readArguments } from './arguments';
import { type LogChoice, readLogChoice } from './log-choice';

type Environment = Readonly<Record<string, string>>;
/** The text of a setting, and its option or variable for error messages. */
type Given = readonly [name: string, text: string | undefined];

export interface CommandLine {
  readonly dataDirectory: string;
  readonly port: number;
  readonly replicas: Partial<Record<ServiceName, number>>;
  readonly eventStore: EventStoreKind;
  readonly logs: LogChoice;
  /** The environment of the services. */
  readonly env: Environment;
}

const maxReplicas = 16;

/** Lists all problems at once. */
export class BadCommandLine extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The cluster cannot start with these arguments:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'BadCommandLine';
  }
}

/** An empty variable counts as unset. */
export function readCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): CommandLine {
  const { options, defaults, problems: known } = readArguments(args);
  const env = { ...defaults, ...onlySet(environment) };
  const problems = [...known];
  const attempt = <Value>(fallback: Value, read: () => Value): Value => {
    try {
      return read();
    } catch (error) {
      problems.push((error as Error).message);
      return fallback;
    }
  };
  const given = (option: keyof typeof options, variable: string): Given =>
    options[option] === undefined ? [variable, env[variable]] : [`--${option}`, options[option]];

  const port = attempt(0, () => readPort(given('port', 'PORT')));
  const eventStore = attempt('postgres', () => readEventStore(given('event-store', 'EVENT_STORE')));
  const replicas = readReplicas(options.replicas, problems);
  attempt(undefined, () => void countReplicas(replicas, env));
  const defaultLogs = isTerminal ? 'warn' : 'all';
  const logs = attempt(readLogChoice(defaultLogs), () => readLogChoice(options.logs ?? defaultLogs));
  attempt(undefined, () => checkVariables(env));
  if (problems.length > 0) throw new BadCommandLine(problems);
  const dataDirectory = given('data', 'FLORIN_DATA_DIR')[1] ?? '.florin/cluster';
  return { dataDirectory, port, replicas, eventStore, logs, env };
}

function onlySet(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

function readPort([name, text = '3000']: Given): number {
  return wholeNumber(name, text, 0, 65_535);
}

function readEventStore([name, text = 'postgres']: Given): EventStoreKind {
  if (text === 'postgres' || text === 'eventstoredb') return text;
  throw new Error(`${name} must be postgres or eventstoredb, not "${text}"`);
}

function readReplicas(text: string | undefined, problems: string[]): Partial<Record<ServiceName, number>> {
  const replicas: Partial<Record<ServiceName, number>> = {};
  for (const part of text?.split(',') ?? []) {
    const [name = '', count = ''] = part.split('=', 2).map((piece) => piece.trim());
    const service = serviceNames.find((known) => known === name);
    if (!service) {
      problems.push(`--replicas must name services of ${serviceNames.join(', ')}, not "${name}"`);
      continue;
    }
    try {
      replicas[service] = wholeNumber(`--replicas ${service}=`, count, 0, maxReplicas);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return replicas;
}

/** Services check their own configuration; these variables are used before any service starts. */
function checkVariables(env: Environment): void {
  const { COMMAND_BUS: bus = 'kafka', DATABASE_URL: database, DATABASE_OWNER_URL: owner } = env;
  if (bus !== 'kafka')
    throw new Error(`COMMAND_BUS must be kafka or unset, not "${bus}": services communicate over Kafka`);
  if (database && !/^postgres(ql)?:/.test(database)) {
    throw new Error('DATABASE_URL must be a URL that begins with postgres:// or postgresql://');
  }
  if (owner && !database) throw new Error('DATABASE_URL must be set together with DATABASE_OWNER_URL');
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

import { LogPublicKeys, LogSigningKey } from '@florin/event-sourcing';
import { z } from 'zod';
import {
  brokers,
  busKeys,
  dollars,
  eventStoreUrl,
  flag,
  networks,
  oneOf,
  origins,
  parsedBy,
  rolePasswords,
  tronAddress,
  tronAddresses,
  url,
  vaultKeys,
  wholeNumber,
} from './config-values';

/** Every variable that Florin reads. docs/CONFIGURATION.md documents them. */
const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  /** Separate ports of the operator API and of the metrics. */
  OPERATOR_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  /** The URL at which clients reach the API, if it differs from HOST and PORT. */
  FLORIN_BASE_URL: url('http:', 'https:').optional(),
  FLORIN_DATA_DIR: z.string().default('.florin'),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  /** The owner of the database, for migrations; absent: the user of DATABASE_URL is the owner, or migrations are done. */
  DATABASE_OWNER_URL: url('postgres:', 'postgresql:').optional(),
  /** For `florin database migrate`, which lets these roles log in. */
  DATABASE_PASSWORDS: rolePasswords.optional(),
  /** The folder with archived events; absent: `archive` in the data folder. */
  ARCHIVE_DIR: z.string().optional(),
  FLORIN_SEED: oneOf('demo', 'none').default('demo'),
  /** Limited to characters that a header can carry. */
  FLORIN_OPERATOR_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{24,512}$/, {
      error: 'must have at least 24 characters, at most 512, all visible ASCII without spaces',
    })
    .optional(),
  /** The first key wraps the keys in the vault; all of them unwrap. */
  VAULT_KEY: vaultKeys.optional(),
  VAULT_KEY_FILE: z.string().optional(),
  COMMAND_BUS: oneOf('in-process', 'kafka').default('in-process'),
  KAFKA_BROKERS: brokers.optional(),
  /** The keys that sign commands between services. */
  BUS_KEYS: busKeys.optional(),
  /** Prefix of every topic and consumer group, so that several installations can share brokers. */
  KAFKA_TOPIC_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9._-]{0,64}$/, {
      error: 'must be at most 64 characters: a-z, A-Z, 0-9, dots, hyphens and underscores',
    })
    .default(''),
  KAFKA_PARTITIONS: wholeNumber(1, 1_000).default(12),
  KAFKA_REPLICATION_FACTOR: wholeNumber(1, 9).optional(),
  /** The partitions of a killed replica move to others after this time. */
  KAFKA_SESSION_TIMEOUT_SECONDS: wholeNumber(1, 60).default(10),
  KAFKA_SSL: flag,
  /** A PEM file with the certificates that the brokers' certificates are checked against. */
  KAFKA_CA_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: oneOf('plain', 'scram-sha-256', 'scram-sha-512').optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  EVENT_STORE: oneOf('postgres', 'eventstoredb').default('postgres'),
  EVENTSTORE_URL: eventStoreUrl.optional(),
  /** How long a request waits for an event store that does not respond, to read or to write. */
  EVENT_STORE_READ_TIMEOUT_SECONDS: wholeNumber(1, 60).default(2),
  EVENT_STORE_WRITE_TIMEOUT_SECONDS: wholeNumber(1, 60).default(4),
  RATE_LIMIT_LIVE: wholeNumber(0, 1_000_000).default(100),
  RATE_LIMIT_SANDBOX: wholeNumber(0, 1_000_000).default(50),
  /** Requests per second of one client address to pages that need no key, per gateway. */
  RATE_LIMIT_PAGES: wholeNumber(0, 1_000_000).default(10),
  /** The proxies whose `X-Forwarded-For` names the client. */
  TRUSTED_PROXIES: networks.optional(),
  /** Connections for the reads of the API. A company uses at most half of them at a time. */
  READ_CONNECTIONS: wholeNumber(2, 100).default(5),
  /** The reads of one company that may wait for a connection. */
  READ_QUEUE_SIZE: wholeNumber(1, 10_000).default(100),
  READ_TIMEOUT_SECONDS: wholeNumber(1, 300).default(5),
  PROJECTION_SHARDS: wholeNumber(1, 64).default(1),
  PROCESS_SHARDS: wholeNumber(1, 64).default(1),
  ISSUER_URL: url('http:', 'https:').optional(),
  ISSUER_SECRET: z.string().min(24, { error: 'must have at least 24 characters' }).optional(),
  ISSUER_TIMEOUT_SECONDS: wholeNumber(1, 300).default(30),
  /** Concurrent issuer calls per environment. */
  ISSUER_CONCURRENCY: wholeNumber(1, 10_000).default(1_000),
  /** How long an operation or an invoice may be unchanged before it is resumed. */
  STALLED_AFTER_SECONDS: wholeNumber(1, 3_600).default(15),
  MINIMUM_ISSUE_AMOUNT: dollars.default('10.00'),
  /** Two operators decide from this amount on; 0 switches it off. */
  FOUR_EYES_AMOUNT: dollars.default('1000.00'),
  MINIMUM_TOPUP_AMOUNT: dollars.default('10.00'),
  /** Which sites may show the page with the details of a sandbox card in a frame. */
  REVEAL_FRAME_ORIGINS: origins.optional(),
  TRON_NODE_URL: url('http:', 'https:').optional(),
  TRON_USDT_CONTRACT: tronAddress.optional(),
  TRON_ADDRESSES: tronAddresses.optional(),
  TRON_START_BLOCK: wholeNumber(1, 1_000_000_000).optional(),
  TRON_API_KEY: z.string().optional(),
  TRON_TIMEOUT_SECONDS: wholeNumber(1, 120).default(10),
  /** The rate limit while catching up, to protect the node. */
  TRON_BLOCKS_PER_SECOND: wholeNumber(1, 10_000).default(25),
  TRON_CONCURRENCY: wholeNumber(1, 64).default(8),
  /** How long blocks without transfers wait to be recorded together. */
  TRON_RECORD_SECONDS: wholeNumber(0, 60).default(5),
  INVOICE_LIFETIME_SECONDS: wholeNumber(1, 604_800).default(3_600),
  MINIMUM_INVOICE_AMOUNT: dollars.default('10.00'),
  WEBHOOK_ALLOW_LOOPBACK: flag,
  WEBHOOK_CONCURRENCY: wholeNumber(1, 10_000).default(256),
  WEBHOOK_LEASE_SECONDS: wholeNumber(3, 3_600).default(60),
  /** Pending deliveries per endpoint that recoveries have created. */
  WEBHOOK_RECOVERY_PENDING: wholeNumber(1, 100_000).default(1_000),
  /** Deliveries per endpoint and second that recoveries create. */
  WEBHOOK_RECOVERY_RATE: wholeNumber(1, 10_000).default(100),
  /** 0: webhook events and deliveries are never purged. */
  WEBHOOK_RETENTION_DAYS: wholeNumber(0, 3_650).default(90),
  /** Signs the checkpoints of the log. */
  LOG_SIGNING_KEY: parsedBy((text) => LogSigningKey.parse(text)).optional(),
  /** Earlier keys, whose checkpoints stay valid after a rotation. */
  LOG_PUBLIC_KEYS: parsedBy((text) => LogPublicKeys.parse(text)).optional(),
  CHECKPOINT_SINK: z
    .string()
    .refine((text) => !/^https?:/i.test(text) || URL.canParse(text), {
      error: 'must be a file path, file:<path>, or a URL that begins with http:// or https://',
    })
    .optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:').optional(),
  /** How long the API keeps serving after a shutdown signal, while it asks clients to reconnect elsewhere. */
  SHUTDOWN_NOTICE_SECONDS: wholeNumber(0, 300).default(0),
  SHUTDOWN_TIMEOUT_SECONDS: wholeNumber(1, 600).default(30),
});

/** Variables that must be set together. */
const groups = [
  ['ISSUER_URL', 'ISSUER_SECRET'],
  ['TRON_NODE_URL', 'TRON_USDT_CONTRACT', 'TRON_ADDRESSES', 'TRON_START_BLOCK'],
  ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
] as const;

/** Variables of which only one may be set; each of them satisfies a service that needs one. */
const alternatives = [['VAULT_KEY', 'VAULT_KEY_FILE']] as const;

/** Variables that have no meaning without another one. */
const additions = [['DATABASE_OWNER_URL', 'DATABASE_URL']] as const;

/** Variables that the choice of an adapter requires. */
const consequences = [
  ['COMMAND_BUS', 'kafka', 'KAFKA_BROKERS'],
  ['COMMAND_BUS', 'kafka', 'BUS_KEYS'],
  ['EVENT_STORE', 'eventstoredb', 'EVENTSTORE_URL'],
] as const;

export type Config = z.output<typeof variables>;

export const configurationNames: readonly string[] = Object.keys(variables.shape);

/** Lists every problem at once, so that all of them can be fixed together. */
export class BadConfiguration extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Florin cannot start with this configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'BadConfiguration';
  }
}

/** Checks the given variables, not the parsed ones, so that an invalid variable does not hide a missing one. */
function missing(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  const inGroups = groups.flatMap((group) => {
    const set = group.filter((name) => given[name] !== undefined);
    const others = set.length === 0 ? [] : group.filter((name) => given[name] === undefined);
    return others.map((name) => `${name} must be set together with ${set.join(', ')}`);
  });
  const byChoice = consequences
    .filter(([name, choice, needed]) => given[name] === choice && given[needed] === undefined)
    .map(([name, choice, needed]) => `${needed} must be set with ${name}=${choice}`);
  const twice = alternatives
    .filter((names) => names.every((name) => given[name] !== undefined))
    .map(([name, other]) => `${other} must not be set together with ${name}`);
  const byAddition = additions
    .filter(([name, needed]) => given[name] !== undefined && given[needed] === undefined)
    .map(([name, needed]) => `${needed} must be set together with ${name}`);
  return [...inGroups, ...byAddition, ...byChoice, ...twice, ...equalPorts(given)];
}

/** Two ports may both be 0, which selects a free one for each. */
function equalPorts({ PORT = '3000', ...given }: Readonly<Record<string, string | undefined>>): readonly string[] {
  const ports = { PORT, OPERATOR_PORT: given['OPERATOR_PORT'], METRICS_PORT: given['METRICS_PORT'] };
  const set = Object.entries(ports).filter(([, port]) => port !== undefined && port !== '0');
  return set.flatMap(([name, port], index) =>
    set.slice(0, index).flatMap(([other, taken]) => (taken === port ? [`${name} must differ from ${other}`] : [])),
  );
}

/** An empty variable counts as unset. `needed` are the variables that this service requires. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  needed: readonly (keyof Config)[] = [],
): Config {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const given = Object.fromEntries(set);
  const result = variables.safeParse(given);
  const wrong = result.error?.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) ?? [];
  const problems = [...wrong, ...missing(given)];
  for (const name of needed) {
    const known = problems.some((problem) => problem.startsWith(`${name} `));
    const names: readonly string[] = alternatives.find(([first]) => first === name) ?? [name];
    const isSet = names.some((each) => given[each] !== undefined);
    if (!isSet && !known) problems.push(`${names.join(' or ')} must be set for this service`);
  }
  if (result.success && problems.length === 0) return result.data;
  throw new BadConfiguration(problems);
}

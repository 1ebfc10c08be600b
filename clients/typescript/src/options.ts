import { ConfigurationError } from './errors';
import type { Hooks } from './hooks';

export type Environment = 'sandbox' | 'live';

export interface FlorinOptions {
  /** `fl_test_…` for the sandbox, `fl_live_…` for live. Keep it on your servers. */
  readonly apiKey: string;
  /**
   * The address of Florin, or one for each environment. The default for the sandbox is http://127.0.0.1:3000, where
   * `npm start` serves it.
   */
  readonly baseUrl?: string | Readonly<Partial<Record<Environment, string>>>;
  /** The time for one attempt; 30,000 by default. */
  readonly timeoutMs?: number;
  /** The number of repetitions after 408, 429, 5xx and broken connections; 3 by default. */
  readonly maxRetries?: number;
  /** The pause before the first repetition, which doubles with each; 500 by default. `Retry-After` can make it longer. */
  readonly retryDelayMs?: number;
  /** Called around every attempt, for traces and logs. */
  readonly hooks?: Hooks;
  /** Replaces the global `fetch`, for proxies and tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Options of one call; they override those of the client. */
export interface RequestOptions {
  /** Of a POST. The default is a new random key for each call. */
  readonly idempotencyKey?: string;
  /** Sent as `X-Request-Id`; Florin generates one otherwise. */
  readonly requestId?: string;
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
  /** Ends the call, also between two attempts. */
  readonly signal?: AbortSignal;
}

export interface Configuration {
  readonly apiKey: string;
  readonly environment: Environment;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryDelayMs: number;
  readonly hooks: Hooks;
  readonly fetch: typeof globalThis.fetch;
}

const prefixes = { fl_test_: 'sandbox', fl_live_: 'live' } as const;
const localSandbox = 'http://127.0.0.1:3000';

export function configurationOf(options: FlorinOptions): Configuration {
  const { apiKey, timeoutMs = 30_000, maxRetries = 3, retryDelayMs = 500, hooks = {} } = options;
  const environment = environmentOf(apiKey);
  return {
    ...{ apiKey, environment, baseUrl: baseUrlOf(options.baseUrl, environment), hooks },
    timeoutMs: requirePositive('timeoutMs', timeoutMs),
    maxRetries: requireNotNegative('maxRetries', maxRetries),
    retryDelayMs: requireNotNegative('retryDelayMs', retryDelayMs),
    // Read for every request, because instrumentation may replace the global one.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
}

/** The environment that a key belongs to, by its prefix. */
export function environmentOf(apiKey: string): Environment {
  for (const [prefix, environment] of Object.entries(prefixes)) {
    if (typeof apiKey === 'string' && apiKey.startsWith(prefix)) return environment;
  }
  throw new ConfigurationError(
    'The apiKey begins with neither fl_test_ nor fl_live_. Pass an API key of your company.',
  );
}

function baseUrlOf(option: FlorinOptions['baseUrl'], environment: Environment): string {
  const given = typeof option === 'object' ? option[environment] : option;
  const url = given ?? (environment === 'sandbox' ? localSandbox : undefined);
  if (url === undefined)
    throw new ConfigurationError(`There is no baseUrl for ${environment}. Pass the address of Florin.`);
  if (!/^https?:\/\//.test(url))
    throw new ConfigurationError(`The baseUrl ${url} does not begin with http:// or https://.`);
  return url.replace(/\/+$/, '');
}

function requirePositive(name: string, value: number): number {
  if (value > 0) return value;
  throw new ConfigurationError(`${name} is ${value}. Pass a number above 0.`);
}

function requireNotNegative(name: string, value: number): number {
  if (value >= 0) return value;
  throw new ConfigurationError(`${name} is ${value}. Pass 0 or more.`);
}

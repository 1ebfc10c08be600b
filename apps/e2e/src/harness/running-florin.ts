import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from './client';
import type { Composition } from './florin-process';
import { until } from './until';

export interface Credentials {
  readonly baseUrl: string;
  readonly operatorToken: string;
  readonly companies: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly keys: { readonly sandbox: string; readonly live: string };
  }[];
}

/** The composition under test; the Jest projects `cluster` and `cluster-all` set the variable. */
export const composition: Composition = process.env['FLORIN_COMPOSITION'] === 'cluster' ? 'cluster' : 'all-in-one';

/** The event store under test; the Jest projects on EventStoreDB set the variable. */
export const eventStore = process.env['FLORIN_TEST_EVENT_STORE'] === 'eventstoredb' ? 'eventstoredb' : 'postgres';

/** A Florin as its users see it: an address, a data folder and a log. */
export class RunningFlorin {
  constructor(
    readonly baseUrl: string,
    readonly dataDirectory: string,
    private readonly readLog: () => string,
  ) {}

  get credentials(): Credentials {
    return JSON.parse(readFileSync(join(this.dataDirectory, 'credentials.json'), 'utf8')) as Credentials;
  }

  /** Its output so far. */
  get log(): string {
    return this.readLog();
  }

  /** A client of a service's health and metrics. In one process all services share one address. */
  async monitorOf(service: string): Promise<ApiClient> {
    if (composition === 'all-in-one') return new ApiClient(this.baseUrl, undefined);
    const readyLine = new RegExp(`${service} is ready; its health is at (http://[^/"]+)`, 'g');
    const lastAddress = async (): Promise<string | undefined> => [...this.log.matchAll(readyLine)].at(-1)?.[1];
    // The log line may arrive after the API is ready.
    const address = await until(`${service} has logged its address`, lastAddress, (found) => found !== undefined);
    return new ApiClient(address!, undefined);
  }
}

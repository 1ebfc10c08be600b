import { randomUUID } from 'node:crypto';
import { until } from './until';

const onEventStoreDb = process.env['FLORIN_TEST_EVENT_STORE'] === 'eventstoredb';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly rawBody?: string;
  /** By default a request has no timeout. */
  readonly signal?: AbortSignal;
}

/** A client of the HTTP API with one key. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    readonly key: string | undefined,
    /**
     * Whether a 503 is repeated, as the API asks for. Florin, EventStoreDB and Kafka are more processes than a small machine has
     * cores, so a request can exceed its few seconds. What tests unavailability must not repeat it.
     */
    private readonly isPatient = onEventStoreDb,
  ) {}

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    return this.send('GET', path, { headers });
  }

  post(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    return this.send('POST', path, { body, headers });
  }

  fund(amount: string, idempotencyKey: string = randomUUID()): Promise<ApiResponse> {
    return this.post('/api/v1/sandbox/funding', { amount }, { 'Idempotency-Key': idempotencyKey });
  }

  async balance(): Promise<unknown> {
    return (await this.get('/api/v1/balance')).body;
  }

  send(method: string, path: string, options: RequestOptions): Promise<ApiResponse> {
    const send = () => this.sendOnce(method, path, options);
    const isRepeatable = method === 'GET' || options.headers?.['Idempotency-Key'] !== undefined;
    return this.isPatient && isRepeatable ? until('it is available', send, ({ status }) => status !== 503) : send();
  }

  private async sendOnce(method: string, path: string, options: RequestOptions): Promise<ApiResponse> {
    const { headers = {}, body, rawBody, signal } = options;
    const sent = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      body: sent,
      redirect: 'manual',
      ...(signal && { signal }),
      headers: {
        ...(this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` }),
        ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text), text };
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The UTC calendar date this many days from today. */
export function utcDate(daysFromToday = 0): string {
  return new Date(Date.now() + daysFromToday * 86_400_000).toISOString().slice(0, 10);
}

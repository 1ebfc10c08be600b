import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'undici';

interface TenantRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: object;
  /** Instead of the tenant's own key. */
  readonly key?: string;
}

export interface TenantResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const run = Date.now().toString(36);
let sequence = 0;

/** A company that uses the API with its own key. */
export class Tenant {
  private patience = newPatience();

  constructor(
    private readonly server: Pool,
    private readonly key: string,
    readonly holderId: string,
  ) {}

  /** Sends once and returns any response. */
  async send({ method, path, body, key = this.key }: TenantRequest): Promise<TenantResponse & { waitMs: number }> {
    sequence += 1;
    const response = await this.server.request({
      method,
      path,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(method === 'POST' && { 'Idempotency-Key': `${run}-${sequence}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      body: isJson ? (JSON.parse(text) as TenantResponse['body']) : {},
      waitMs: Number(response.headers['retry-after'] ?? 0) * 1_000,
    };
  }

  /** Waits whenever the rate limit asks for it, so the tenant stays inside its limits. */
  async sendWithinLimits(request: TenantRequest): Promise<TenantResponse> {
    const { signal } = this.patience;
    for (;;) {
      const { waitMs, ...response } = await this.send(request);
      if (response.status !== 429 || signal.aborted) return response;
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return response;
    }
  }

  /** Until the work has ended, no request waits for the rate limit: it returns 429. */
  async withoutWaiting(work: () => Promise<unknown>): Promise<void> {
    this.patience.abort();
    await work();
    this.patience = newPatience();
  }

  /** For preparations: anything but success is an error. */
  async require(request: TenantRequest): Promise<TenantResponse['body']> {
    const { status, body } = await this.sendWithinLimits(request);
    if (status < 200 || status > 299) {
      throw new Error(`${request.method} ${request.path} returned ${status}: ${JSON.stringify(body)}`);
    }
    return body;
  }

  issue(): TenantRequest {
    const { holderId } = this;
    const body = { type: 'issue', productId: 'virtual-usd', amount: '100.00', expectedTotal: '103.20', holderId };
    return { method: 'POST', path: '/api/v1/operations', body };
  }

  /** Returns the id of the new endpoint. */
  async createEndpoint(url: string): Promise<string> {
    const { id } = await this.require({ method: 'POST', path: '/api/v1/webhook-endpoints', body: { url } });
    return id as string;
  }
}

/** For any number of waiting requests. */
function newPatience(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

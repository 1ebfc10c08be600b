/** The node methods that the simulator serves, by the last part of their path. */
export type NodeMethod = 'getnowblock' | 'getblockbynum' | 'gettransactioninfobyblocknum';

/** The fault of one request. */
export type FaultKind =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Never responds. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** The first half of the response. */
  | { readonly kind: 'malformed' }
  /** The response and as much white space. */
  | { readonly kind: 'oversized'; readonly bytes: number }
  /** The response for the previous block. */
  | { readonly kind: 'wrongBlock' }
  /** The response for an unknown block: `{}` for a block, `[]` for its infos. */
  | { readonly kind: 'missing' }
  /** All infos but the last. */
  | { readonly kind: 'incomplete' };

export type Fault = FaultKind & {
  /** Limits the fault to one method. */
  readonly method?: NodeMethod;
  /** Limits the fault to one block. */
  readonly block?: number;
  /** The number of requests that fail (default 1). */
  readonly times?: number | 'always';
};

export interface NodeRequest {
  readonly method: NodeMethod;
  readonly solid: boolean;
  readonly block?: number;
}

/** The pending faults, the rate limit and the lag of the node. */
export class Faults {
  /** The number of blocks by which the node lags. */
  lagBehind = 0;
  private waiting: { readonly fault: Fault; left: number }[] = [];
  private requestsPerSecond = 0;
  private window = { second: 0, count: 0 };

  add(fault: Fault): void {
    const { times = 1 } = fault;
    this.waiting.push({ fault, left: times === 'always' ? Infinity : times });
  }

  /** Requests above the limit return 429; 0 means no limit. */
  throttle(requestsPerSecond: number): void {
    this.requestsPerSecond = requestsPerSecond;
  }

  /** Ends all faults. */
  heal(): void {
    this.waiting = [];
    this.requestsPerSecond = 0;
    this.lagBehind = 0;
  }

  /** Consumes the oldest fault that matches the request. */
  take(request: NodeRequest, nowMs: number): Fault | undefined {
    if (this.overLimit(nowMs)) return { kind: 'status', status: 429, retryAfterSeconds: 1 };
    const entry = this.waiting.find(({ fault }) => matches(fault, request));
    if (!entry) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.waiting = this.waiting.filter((other) => other !== entry);
    return entry.fault;
  }

  private overLimit(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.window.second) this.window = { second, count: 0 };
    this.window.count += 1;
    return this.requestsPerSecond > 0 && this.window.count > this.requestsPerSecond;
  }
}

function matches({ kind, method, block }: Fault, request: NodeRequest): boolean {
  if (kind === 'wrongBlock' && request.method === 'getnowblock') return false;
  if (kind === 'incomplete' && request.method !== 'gettransactioninfobyblocknum') return false;
  return (method === undefined || method === request.method) && (block === undefined || block === request.block);
}

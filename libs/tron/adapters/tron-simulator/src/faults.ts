/** The methods of a node that the simulator knows, by the last part of their path. */
export type NodeMethod = 'getnowblock' | 'getblockbynum' | 'gettransactioninfobyblocknum';

/** What can go wrong with one request. */
export type FaultKind =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Never answers. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Half of the answer, as if it were all of it. */
  | { readonly kind: 'malformed' }
  /** The answer and much white space. */
  | { readonly kind: 'oversized'; readonly bytes: number }
  /** What was asked, but of the block before. */
  | { readonly kind: 'wrongBlock' }
  /** As if the node did not have it: `{}` for a block, `[]` for its infos. */
  | { readonly kind: 'missing' }
  /** All infos but the last. */
  | { readonly kind: 'incomplete' };

export type Fault = FaultKind & {
  /** Only requests of this method; any where it is missing. */
  readonly method?: NodeMethod;
  /** Only requests about this block. */
  readonly block?: number;
  /** How many requests it strikes (default 1). */
  readonly times?: number | 'always';
};

export interface NodeRequest {
  readonly method: NodeMethod;
  readonly solid: boolean;
  readonly block?: number;
}

/** The faults that are still to come, and how quick and how far behind the node is. */
export class Faults {
  /** How many blocks the node is behind the others. */
  lagBehind = 0;
  private waiting: { readonly fault: Fault; left: number }[] = [];
  private requestsPerSecond = 0;
  private window = { second: 0, count: 0 };

  add(fault: Fault): void {
    const { times = 1 } = fault;
    this.waiting.push({ fault, left: times === 'always' ? Infinity : times });
  }

  /** Requests over the limit in a second are refused with 429; 0 is no limit. */
  throttle(requestsPerSecond: number): void {
    this.requestsPerSecond = requestsPerSecond;
  }

  /** From now on all is well. */
  heal(): void {
    this.waiting = [];
    this.requestsPerSecond = 0;
    this.lagBehind = 0;
  }

  /** The oldest fault that is meant for this request. */
  take(request: NodeRequest, nowMs: number): Fault | undefined {
    if (this.overLimit(nowMs)) return { kind: 'status', status: 429, retryAfterSeconds: 1 };
    const entry = this.waiting.find(({ fault }) => concerns(fault, request));
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

function concerns({ kind, method, block }: Fault, request: NodeRequest): boolean {
  if (kind === 'wrongBlock' && request.method === 'getnowblock') return false;
  if (kind === 'incomplete' && request.method !== 'gettransactioninfobyblocknum') return false;
  return (method === undefined || method === request.method) && (block === undefined || block === request.block);
}

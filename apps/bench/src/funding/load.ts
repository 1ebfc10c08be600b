import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly durationMs: number;
  /** Requests take turns with them. */
  readonly keys: readonly string[];
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

let sent = 0;
const run = Date.now().toString(36);

/** Posts fundings, each with an idempotency key of its own, and refuses to count a run with a single failure. */
export async function postFundings({ url, connections, durationMs, keys }: Load): Promise<LoadResult> {
  const result = await autocannon({
    url,
    connections,
    duration: durationMs / 1_000,
    requests: [
      {
        method: 'POST',
        path: '/api/v1/sandbox/funding',
        body: '{"amount":"1.00"}',
        setupRequest: (request) => {
          sent += 1;
          const authorization = `Bearer ${keys[sent % keys.length]}`;
          const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': `${run}-${sent}` };
          return { ...request, headers };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${result.non2xx} refused and ${result.errors} failed requests at ${url}: the figures would mean nothing`,
    );
  }
  const { average, total } = result.requests;
  const requestsPerSecond = result.duration > 0 ? total / result.duration : average;
  return { requestsPerSecond, p50Ms: result.latency.p50, p99Ms: result.latency.p99 };
}

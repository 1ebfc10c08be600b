import type { Random } from '../random';

export interface ApiResponse {
  /** Absent when there was no response: the outcome of the request is unknown. */
  readonly status?: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Why there was no response. */
  readonly reason?: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly token: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/**
 * Some clients wait longer than the product's own timeouts. Others retry earlier, so that two requests with the same key
 * are in progress at the same time.
 */
const timeoutsMs = [1_500, 4_000, 15_000] as const;

/** An HTTP client that picks one of the product's addresses for each request. */
export class Api {
  constructor(
    private readonly baseUrls: readonly string[],
    private readonly random: Random,
  ) {}

  async send({ method, path, token, body, idempotencyKey }: ApiRequest): Promise<ApiResponse> {
    try {
      const response = await fetch(`${this.random.pick(this.baseUrls)}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.random.pick(timeoutsMs)),
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        },
      });
      return { status: response.status, body: parse(await response.text()) };
    } catch (error) {
      return { body: {}, reason: reasonOf(error) };
    }
  }
}

/** Whether the response determines the outcome of the request. Clients retry after any other response. */
export function isConclusive({ status }: ApiResponse): boolean {
  return status !== undefined && status < 500 && status !== 408 && status !== 429;
}

export function isSuccess({ status = 0 }: ApiResponse): boolean {
  return status >= 200 && status < 300;
}

export function describeResponse({ status, body, reason }: ApiResponse): string {
  return status === undefined ? `no response (${reason})` : `${status} ${JSON.stringify(body)}`;
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}

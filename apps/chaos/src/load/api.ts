import type { Random } from '../random';

export interface Answer {
  /** Absent when none came: what became of the request is unknown. */
  readonly status?: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Why no answer came. */
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
 * Some wait longer than the product itself does, others turn away before and ask again: then two requests with one key are
 * under way at the same time.
 */
const patiencesMs = [1_500, 4_000, 15_000] as const;

/** The product as its clients see it, at any of its addresses. */
export class Api {
  constructor(
    private readonly baseUrls: readonly string[],
    private readonly random: Random,
  ) {}

  async send({ method, path, token, body, idempotencyKey }: ApiRequest): Promise<Answer> {
    try {
      const response = await fetch(`${this.random.pick(this.baseUrls)}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.random.pick(patiencesMs)),
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

/** Whether the answer says what became of the request. Whoever gets another one asks again. */
export function isKnown({ status, body }: Answer): boolean {
  return status !== undefined && status < 500 && status !== 429 && body['code'] !== 'idempotency_in_progress';
}

export function isSuccess({ status = 0 }: Answer): boolean {
  return status >= 200 && status < 300;
}

export function describeAnswer({ status, body, reason }: Answer): string {
  return status === undefined ? `no answer (${reason})` : `${status} ${JSON.stringify(body)}`;
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

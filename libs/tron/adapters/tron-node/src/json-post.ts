import { ChainUnavailable } from '@florin/tron-application';
import type { Pool } from 'undici';

export interface JsonPostOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Bounds a whole call, from the connection to the last byte of the answer. */
  readonly timeoutMs: number;
}

const secondsPattern = /^\d{1,9}$/;

/** Posts JSON and gives the text of the answer, or rejects with `ChainUnavailable`. */
export class JsonPost {
  constructor(
    private readonly pool: Pool,
    private readonly options: JsonPostOptions,
  ) {}

  async post(path: string, payload: object): Promise<string> {
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    const headers = { ...this.options.headers, 'content-type': 'application/json' };
    const body = JSON.stringify(payload);
    try {
      const answer = await this.pool.request({ path, method: 'POST', headers, body, signal });
      if (answer.statusCode === 200) return await answer.body.text();
      await answer.body.dump();
      const retryAfterMs = millisecondsOf(answer.headers['retry-after']);
      throw new ChainUnavailable(`The TRON node answered ${path} with HTTP ${answer.statusCode}`, { retryAfterMs });
    } catch (error) {
      if (error instanceof ChainUnavailable) throw error;
      const why = signal.aborted ? `was not answered within ${this.options.timeoutMs} ms` : `failed (${codeOf(error)})`;
      throw new ChainUnavailable(`The TRON node cannot be read: ${path} ${why}`, { cause: error });
    }
  }
}

/** Only whole seconds: a date would depend on whose clock is right. */
function millisecondsOf(retryAfter: string | string[] | undefined): number | undefined {
  if (typeof retryAfter !== 'string' || !secondsPattern.test(retryAfter)) return undefined;
  return Number(retryAfter) * 1_000;
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  return 'code' in error ? String(error.code) : String(error);
}

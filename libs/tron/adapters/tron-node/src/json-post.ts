import { ChainUnavailable } from '@florin/tron-application';
import type { Pool } from 'undici';

export interface JsonPostOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Limits the whole call, from connecting to the last byte of the response. */
  readonly timeoutMs: number;
}

const secondsPattern = /^\d{1,9}$/;

/** Posts JSON and returns the body of the response, or rejects with `ChainUnavailable`. */
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
      const response = await this.pool.request({ path, method: 'POST', headers, body, signal });
      if (response.statusCode === 200) return await response.body.text();
      await response.body.dump();
      const retryAfterMs = millisecondsOf(response.headers['retry-after']);
      throw new ChainUnavailable(`The TRON node returned HTTP ${response.statusCode} for ${path}`, { retryAfterMs });
    } catch (error) {
      if (error instanceof ChainUnavailable) throw error;
      const why = signal.aborted ? `timed out after ${this.options.timeoutMs} ms` : `failed (${codeOf(error)})`;
      throw new ChainUnavailable(`Cannot read from the TRON node: ${path} ${why}`, { cause: error });
    }
  }
}

/** Accepts whole seconds only: the meaning of a date depends on both clocks being right. */
function millisecondsOf(retryAfter: string | string[] | undefined): number | undefined {
  if (typeof retryAfter !== 'string' || !secondsPattern.test(retryAfter)) return undefined;
  return Number(retryAfter) * 1_000;
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  return 'code' in error ? String(error.code) : String(error);
}

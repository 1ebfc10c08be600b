import type { SendResult } from '@florin/webhooks-application';
import type { Dispatcher } from 'undici';
import { excerptBytes, excerptOf } from './excerpt';
import { failureOf } from './failure-of';
import { retryAfterMs } from './retry-after';

const maxResponseBytes = 8 * 1024;

type Finding = Pick<SendResult, 'outcome' | 'error' | 'retryAfterMs'>;
type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/**
 * One request, from its queueing to the last byte of the response. A cancelled attempt has a result immediately, and its
 * request is not sent if it was still queued.
 *
 * It implements undici's internal handler interface. Undici wraps handlers of the newer interface and parses all headers
 * for them, which takes a fourteenth of the time of a delivery.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly result: Promise<SendResult>;
  /** Whether the response was read to its end, so that the connection can be reused. */
  isComplete = false;
  readonly startedAt = performance.now();
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private statusCode: number | undefined;
  private retryAfter: string | undefined;
  private abort: ((reason: Error) => void) | undefined;
  private hasEnded = false;
  private resolve!: (result: SendResult) => void;

  constructor(private readonly now: () => Date) {
    this.result = new Promise((resolve) => (this.resolve = resolve));
  }

  cancel(error: string): void {
    this.end({ outcome: 'unreachable', error });
    this.abort?.(new Error(error));
  }

  /** Also called with errors that prevent sending the request. */
  fail(error: unknown): void {
    this.end(failureOf(error));
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.abort = abort;
    if (this.hasEnded) abort(new Error('The request was cancelled.'));
  }

  /** `headers` alternates names and values. Returning true requests more data, as in `onData`. */
  onHeaders(statusCode: number, headers: readonly Buffer[]): boolean {
    if (statusCode < 200) return true;
    this.statusCode = statusCode;
    if (statusCode === 429 || statusCode === 503) this.retryAfter = headerOf(headers, 'retry-after');
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.bytes < excerptBytes) this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes <= maxResponseBytes) return true;
    // The status is known. Closing the connection is the only way not to receive the rest.
    this.complete();
    this.abort?.(new Error('The response is longer than the limit.'));
    return false;
  }

  onComplete(): void {
    this.isComplete = true;
    this.complete();
  }

  onError(error: Error): void {
    this.fail(error);
  }

  private complete(): void {
    const { statusCode = 0 } = this;
    if (statusCode >= 200 && statusCode < 300) return this.end({ outcome: 'acknowledged' });
    const redirect = statusCode < 400 ? ', and redirects are not followed' : '';
    const wait = retryAfterMs(this.retryAfter, this.now());
    const error = `the response was HTTP ${statusCode}${redirect}`;
    this.end({ outcome: 'refused', error, ...(wait !== undefined && { retryAfterMs: wait }) });
  }

  /** Only the first call has an effect. Assigns fields one by one, because object spreads are measurably slower here. */
  private end({ outcome, error, retryAfterMs: wait }: Finding): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const result: Writable<SendResult> = { outcome, durationMs: Math.round(performance.now() - this.startedAt) };
    if (this.statusCode !== undefined) result.statusCode = this.statusCode;
    if (this.bytes > 0) result.excerpt = excerptOf(this.chunks);
    if (error !== undefined) result.error = error;
    if (wait !== undefined) result.retryAfterMs = wait;
    this.resolve(result);
  }
}

function headerOf(headers: readonly Buffer[], name: string): string | undefined {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index]!.toString('latin1').toLowerCase() === name) return headers[index + 1]!.toString('latin1');
  }
  return undefined;
}

import type { SendResult } from '@florin/webhooks-application';
import type { Dispatcher } from 'undici';
import { excerptBytes, excerptOf } from './excerpt';
import { problemOf } from './problem';
import { retryAfterMs } from './retry-after';

const answerLimitBytes = 8 * 1024;

type Finding = Pick<SendResult, 'outcome' | 'error' | 'retryAfterMs'>;
type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/**
 * Watches over one request, from its place in the queue to the last byte of the answer that is read. It has a result when
 * it is given up, whatever the connection does; a request that was not under way by then is never sent.
 *
 * It is a handler as undici has them inside. Around those of the newer kind it wraps another, which makes objects of all
 * headers that nobody reads: a fourteenth of the time that a delivery takes of ours.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly result: Promise<SendResult>;
  /** Whether the answer was read to its end, so that the connection can be used again. */
  isWhole = false;
  readonly begun = performance.now();
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private statusCode: number | undefined;
  private retryAfter: string | undefined;
  private abort: ((reason: Error) => void) | undefined;
  private over = false;
  private resolve!: (result: SendResult) => void;

  constructor(private readonly now: () => Date) {
    this.result = new Promise((resolve) => (this.resolve = resolve));
  }

  giveUp(error: string): void {
    this.end({ outcome: 'unreachable', error });
    this.abort?.(new Error(error));
  }

  /** Also called with whatever keeps a request from being sent at all. */
  fail(error: unknown): void {
    this.end(problemOf(error));
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.abort = abort;
    if (this.over) abort(new Error('The time for this request is over.'));
  }

  /** `headers` are names and values in turns. True, like that of `onData`, asks for more. */
  onHeaders(statusCode: number, headers: readonly Buffer[]): boolean {
    if (statusCode < 200) return true;
    this.statusCode = statusCode;
    if (statusCode === 429 || statusCode === 503) this.retryAfter = headerOf(headers, 'retry-after');
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.bytes < excerptBytes) this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes <= answerLimitBytes) return true;
    // Whoever goes on for longer has said enough. Only the end of the connection keeps us from hearing the rest.
    this.answered();
    this.abort?.(new Error('The answer is longer than we read.'));
    return false;
  }

  onComplete(): void {
    this.isWhole = true;
    this.answered();
  }

  onError(error: Error): void {
    this.fail(error);
  }

  private answered(): void {
    const { statusCode = 0 } = this;
    if (statusCode >= 200 && statusCode < 300) return this.end({ outcome: 'acknowledged' });
    const redirect = statusCode < 400 ? ', and redirects are not followed' : '';
    const wait = retryAfterMs(this.retryAfter, this.now());
    const error = `the answer was HTTP ${statusCode}${redirect}`;
    this.end({ outcome: 'refused', error, ...(wait !== undefined && { retryAfterMs: wait }) });
  }

  /** The first call decides. Most findings have few parts, and to spread those that are absent would cost each more. */
  private end({ outcome, error, retryAfterMs: wait }: Finding): void {
    if (this.over) return;
    this.over = true;
    const result: Writable<SendResult> = { outcome, durationMs: Math.round(performance.now() - this.begun) };
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

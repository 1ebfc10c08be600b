import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random';
import { type ApiResponse, type Api, describeResponse, isConclusive, isSuccess } from './api';
import type { LoadAccount } from './load-account';

export type WriteKind =
  'funding' | 'operation' | 'holder' | 'card-change' | 'payment' | 'invoice' | 'invoice-payment' | 'review' | 'quote';

/** A request with one intended effect, no matter how often it is sent. */
export interface WriteRequest {
  readonly kind: WriteKind;
  readonly account: LoadAccount;
  /** The account's API key when absent. */
  readonly token?: string;
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** The error codes it must be rejected with; absent for a valid request. */
  readonly rejectedWith?: readonly string[];
  /** Error codes that are acceptable for a valid request. */
  readonly tolerated?: readonly string[];
}

export interface Attempt {
  readonly at: string;
  readonly durationMs: number;
  readonly response: ApiResponse;
}

/** A request and its attempts. `unknown`: the client has stopped retrying without a conclusive response. */
export interface Write {
  readonly number: number;
  readonly request: WriteRequest;
  readonly attempts: Attempt[];
  outcome: 'open' | 'acknowledged' | 'rejected' | 'unknown';
  /** The first conclusive response. */
  response?: ApiResponse;
}

const pausesMs = [100, 200, 400, 800, 1_500] as const;

/** Everything that clients have sent and received. They retry with the same key until the response is conclusive. */
export class Journal {
  readonly writes: Write[] = [];
  /** Responses that no client should receive. */
  readonly violations: string[] = [];
  reads = 0;
  private stopsRetryingAtMs = Infinity;

  constructor(
    private readonly api: Api,
    private readonly random: Random,
  ) {}

  /** After this time clients stop retrying. */
  stopRetryingAfter(milliseconds: number): void {
    this.stopsRetryingAtMs = Date.now() + milliseconds;
  }

  async perform(request: WriteRequest): Promise<Write> {
    const write: Write = { number: this.writes.length, request, attempts: [], outcome: 'open' };
    this.writes.push(write);
    for (;;) {
      const response = await this.attempt(write);
      if (isConclusive(response)) {
        this.settle(write, response);
        return write;
      }
      if (Date.now() > this.stopsRetryingAtMs) {
        write.outcome = 'unknown';
        return write;
      }
      const pauseMs = pausesMs[Math.min(write.attempts.length, pausesMs.length) - 1] ?? 0;
      await delay(pauseMs * (0.5 + this.random.next()));
    }
  }

  /** Resends a finished request: the response must be the same. */
  async repeat(write: Write): Promise<void> {
    const response = await this.attempt(write);
    if (!isConclusive(response)) return;
    const first = write.response?.body['id'];
    if (!isSuccess(response) || response.body['id'] !== first) {
      this.violate(
        write,
        `a repeat returned a different response than the first, with the id ${String(first)}`,
        response,
      );
    }
  }

  /** Reads something that must exist. Undefined without a conclusive response. */
  async read(account: LoadAccount, path: string): Promise<ApiResponse['body'] | undefined> {
    this.reads += 1;
    const response = await this.api.send({ method: 'GET', path, token: account.key });
    if (!isConclusive(response)) return undefined;
    if (isSuccess(response)) return response.body;
    this.violations.push(`GET ${path} of ${account.name} returned ${describeResponse(response)}`);
    return undefined;
  }

  private async attempt(write: Write): Promise<ApiResponse> {
    const { account, token = account.key, path, body, idempotencyKey } = write.request;
    const startedAt = Date.now();
    const response = await this.api.send({ method: 'POST', path, token, body, idempotencyKey });
    write.attempts.push({ at: new Date(startedAt).toISOString(), durationMs: Date.now() - startedAt, response });
    return response;
  }

  private settle(write: Write, response: ApiResponse): void {
    const { rejectedWith = [], tolerated = [] } = write.request;
    write.response = response;
    write.outcome = isSuccess(response) ? 'acknowledged' : 'rejected';
    const code = String(response.body['code']);
    if (write.outcome === 'acknowledged' && rejectedWith.length > 0) {
      this.violate(write, `it should have been rejected with ${rejectedWith.join(' or ')}`, response);
    }
    if (write.outcome === 'rejected' && ![...rejectedWith, ...tolerated].includes(code)) {
      this.violate(write, 'it should not have been rejected with this code', response);
    }
  }

  private violate({ number, request, attempts }: Write, problem: string, response: ApiResponse): void {
    const sent = `POST ${request.path} ${JSON.stringify(request.body ?? {})} with the key ${request.idempotencyKey}`;
    const received = `${describeResponse(response)} at attempt ${attempts.length}`;
    this.violations.push(`write ${number} of ${request.account.name}: ${problem}; ${sent} returned ${received}`);
  }
}

/** Whether it was rejected at the first attempt, so that no earlier attempt can still be in progress. */
export function isCertainlyRejected({ outcome, attempts }: Write): boolean {
  return outcome === 'rejected' && attempts.length === 1;
}

import { type Clock, signPayload } from '@florin/kernel';
import type { Issuer, IssuerRequest, RevealRequest, RevealResponse } from '@florin/operations-application';
import type { IssuerResponse } from '@florin/operations-domain';
import { requestBody, readResponse } from './issuer-wire';
import { readRevealResponse, revealBody } from './reveal-wire';
import { NoResponse, SingleShotClient } from './post-once';

export interface HttpIssuerOptions {
  /** `ISSUER_URL`: the base URL of `/operations` and `/reveals`. */
  readonly url: string;
  /** `ISSUER_SECRET`: signs the requests. */
  readonly secret: string;
  readonly clock: Clock;
}

/** Calls an issuer over HTTP. docs/ISSUER.md is the contract. */
export class HttpIssuer implements Issuer {
  readonly needsHolder = true;
  private readonly client: SingleShotClient;
  private readonly reveals: SingleShotClient;
  private readonly secret: string;
  private readonly clock: Clock;

  constructor({ url, secret, clock }: HttpIssuerOptions) {
    if (secret === '') throw new Error('ISSUER_SECRET is empty: set it to the secret shared with the issuer.');
    this.client = new SingleShotClient(urlOf(url, 'operations'));
    this.reveals = new SingleShotClient(urlOf(url, 'reveals'));
    this.secret = secret;
    this.clock = clock;
  }

  async execute(order: IssuerRequest, signal: AbortSignal): Promise<IssuerResponse> {
    if (signal.aborted) return { outcome: 'unknown', reason: 'the deadline passed before the call started' };
    try {
      const body = requestBody(order);
      const headers = { ...this.headersOf(body), 'Idempotency-Key': order.operationId };
      return readResponse(order, await this.client.post({ headers, body, signal }));
    } catch (error) {
      return { outcome: 'unknown', reason: signal.aborted ? 'the issuer did not respond in time' : reasonOf(error) };
    }
  }

  async reveal(request: RevealRequest, signal: AbortSignal): Promise<RevealResponse> {
    try {
      const body = revealBody(request);
      const response = await this.reveals.post({ headers: this.headersOf(body), body, signal });
      return readRevealResponse(response, this.clock.now());
    } catch (error) {
      return { failure: signal.aborted ? 'the issuer did not respond in time' : reasonOf(error) };
    }
  }

  private headersOf(body: string): Record<string, string> {
    const unixSeconds = Math.floor(this.clock.now().getTime() / 1000);
    return {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': 'florin',
      'Florin-Signature': signPayload(this.secret, unixSeconds, body),
    };
  }
}

/** The message does not contain the URL because it may include a password. */
function urlOf(base: string, resource: 'operations' | 'reveals'): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!plain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(
      'ISSUER_URL is not usable: give an http or https address without user name, password, query or fragment.',
    );
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${resource}`;
  return url;
}

/** Reports only codes such as ECONNREFUSED, because messages of lower layers may contain secrets. */
function reasonOf(error: unknown): string {
  if (error instanceof NoResponse) return error.message;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code)
    ? `the connection to the issuer failed (${code})`
    : 'the call to the issuer failed';
}

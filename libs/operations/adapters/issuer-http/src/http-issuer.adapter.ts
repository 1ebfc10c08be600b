import { type Clock, signPayload } from '@florin/kernel';
import type { Issuer, IssuerRequest } from '@florin/operations-application';
import type { IssuerResponse } from '@florin/operations-domain';
import { requestBody, readResponse } from './issuer-wire';
import { NoResponse, SingleShotClient } from './post-once';

export interface HttpIssuerOptions {
  /** `ISSUER_URL`: the base address, under which `/operations` is called. */
  readonly url: string;
  /** `ISSUER_SECRET`: signs what is sent. */
  readonly secret: string;
  readonly clock: Clock;
}

/** An issuer that is reached by HTTP. docs/ISSUER.md is the contract with whoever runs it. */
export class HttpIssuer implements Issuer {
  readonly needsHolder = true;
  private readonly client: SingleShotClient;
  private readonly secret: string;
  private readonly clock: Clock;

  constructor({ url, secret, clock }: HttpIssuerOptions) {
    if (secret === '') throw new Error('ISSUER_SECRET is empty: set it to the secret agreed on with the issuer.');
    this.client = new SingleShotClient(operationsUrl(url));
    this.secret = secret;
    this.clock = clock;
  }

  async execute(order: IssuerRequest, signal: AbortSignal): Promise<IssuerResponse> {
    if (signal.aborted) return { outcome: 'unknown', reason: 'the time for the call was over before it began' };
    try {
      const body = requestBody(order);
      const headers = this.headersOf(order, body);
      return readResponse(order, await this.client.post({ headers, body, signal }));
    } catch (error) {
      return { outcome: 'unknown', reason: signal.aborted ? 'the issuer did not answer in time' : reasonOf(error) };
    }
  }

  private headersOf(order: IssuerRequest, body: string): Record<string, string> {
    const unixSeconds = Math.floor(this.clock.now().getTime() / 1000);
    return {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': 'florin',
      'Idempotency-Key': order.operationId,
      'Florin-Signature': signPayload(this.secret, unixSeconds, body),
    };
  }
}

/** The address itself is kept out of the message, since somebody may have put a password into it. */
function operationsUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!plain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(
      'ISSUER_URL is not usable: give an http or https address without user name, password, query or fragment.',
    );
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/operations`;
  return url;
}

/** Only codes such as ECONNREFUSED are told: messages of lower layers may repeat anything. */
function reasonOf(error: unknown): string {
  if (error instanceof NoResponse) return error.message;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code)
    ? `the connection to the issuer failed (${code})`
    : 'the call of the issuer failed';
}

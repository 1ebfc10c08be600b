import { type Clock, verifySignature } from '@florin/kernel';
import type { FastifyRequest } from 'fastify';
import { ApiError, notFound, validationFailed } from '../../errors/api-error';

const toleranceSeconds = 300;

/** Lets in what the issuer has signed, and tells nobody else why it was not let in. */
export class SignedCallbacks {
  constructor(
    private readonly secret: string | undefined,
    private readonly clock: Clock,
  ) {}

  read({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): object {
    if (this.secret === undefined) throw notFound('No issuer is connected here, so that no callback is taken.');
    const text = typeof body === 'string' ? body : '';
    const nowSeconds = Math.floor(this.clock.now().getTime() / 1_000);
    const signature = headers['issuer-signature'];
    // Node joins a repeated header with a comma, as if both had been sent in one.
    const header = typeof signature === 'string' ? signature : undefined;
    if (!verifySignature(header, text, [this.secret], nowSeconds, toleranceSeconds)) {
      throw new ApiError('invalid_key', 'The signature is not valid.');
    }
    return parseObject(text);
  }
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw validationFailed('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null) throw validationFailed('The body must be a JSON object.');
  return value;
}

import { CLOCK } from '@florin/event-sourcing';
import { type Clock, verifySignature } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError, notFound, validationFailed } from '../../errors/api-error';
import { parseJson } from '../../parse-json';
import { HTTP_API_OPTIONS, type HttpApiOptions } from '../../http-api-options';

const toleranceSeconds = 300;

/** Accepts callbacks that the issuer has signed. The error for any other request does not say what is wrong with it. */
@Injectable()
export class SignedCallbacks {
  private readonly secret: string | undefined;

  constructor(
    @Inject(HTTP_API_OPTIONS) { issuerSecret }: HttpApiOptions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.secret = issuerSecret;
  }

  read({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): object {
    if (this.secret === undefined) throw notFound('No issuer is connected, so callbacks are not accepted.');
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
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) throw validationFailed('The body must be a JSON object.');
  return value;
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors/api-error';
import { bearerToken, challenge } from './bearer';

/** Compares hashes, so that the time of a comparison reveals neither the length nor a prefix of the token. */
export function operatorDenial(operatorToken: string): (authorization: string | undefined) => ApiError | undefined {
  const expected = digest(operatorToken);
  return (authorization) => {
    const token = bearerToken(authorization);
    if (token !== undefined && timingSafeEqual(digest(token), expected)) return undefined;
    return new ApiError('invalid_key', 'Send the operator token as "Authorization: Bearer <token>".', challenge);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

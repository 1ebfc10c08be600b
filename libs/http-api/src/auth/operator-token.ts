import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors/api-error';
import { bearerToken, challenge } from './bearer';

/**
 * Refuses whoever is not the operator. Both sides are hashed first, so that neither their length nor their first
 * difference shows in the time it takes.
 */
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

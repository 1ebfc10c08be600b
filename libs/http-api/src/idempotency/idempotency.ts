import { canonicalJson, deterministicId, sha256 } from '@florin/kernel';
import { validationFailed } from '../errors/api-error';

/**
 * Derived from an `Idempotency-Key`. There is no table of keys: the command carries both values, and the aggregate returns
 * the original result of a repetition, or rejects a different request with the same id.
 */
export interface Idempotency {
  /** The same for every repetition: derived from company, environment, endpoint and key. */
  readonly commandId: string;
  /** SHA-256 of the validated body. A repetition with a different one is a conflict. */
  readonly fingerprint: string;
}

const validKey = /^[\x21-\x7e]{1,128}$/;
const rule = 'must be 1 to 128 visible ASCII characters, without spaces';

/** Validates the header. */
export function readIdempotencyKey(header: string | string[] | undefined, required: boolean): string | undefined {
  if (header === undefined && !required) return undefined;
  if (header === undefined) {
    throw validationFailed('The header Idempotency-Key is required: send a new unique value for every new request.');
  }
  // Node joins a repeated header with a comma and a space, which the pattern rejects.
  if (!isIdempotencyKey(header)) throw validationFailed(`The header Idempotency-Key ${rule}.`);
  return header;
}

/** Throws unless the key of an item in a bulk request is valid. */
export function requireItemKey(key: unknown): asserts key is string {
  if (key === undefined) {
    throw validationFailed('idempotencyKey is required: send a new unique value for every new operation.');
  }
  if (!isIdempotencyKey(key)) throw validationFailed(`idempotencyKey ${rule}.`);
}

export function isIdempotencyKey(key: unknown): key is string {
  return typeof key === 'string' && validKey.test(key);
}

/**
 * `sender` is the company and environment, or the operator. `target` is the method and the path with ids, so one key used for
 * two cards means two requests.
 */
export function idempotencyOf(
  sender: readonly [string, string],
  target: string,
  key: string,
  body: unknown,
): Idempotency {
  return {
    commandId: deterministicId(...sender, target, key),
    fingerprint: sha256(canonicalJson(body ?? {})),
  };
}

import { duplicateKey } from '@florin/kernel';
import { validationFailed } from './errors/api-error';
import { shortened } from './parse';

/** Parses the body of a request. Throws a 400 for invalid JSON, and for a key that occurs twice in an object. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw validationFailed('The body is not valid JSON.');
  }
  const key = duplicateKey(text);
  if (key !== undefined) throw validationFailed(`The key ${shortened(key)} occurs twice in an object: send it once.`);
  return value;
}

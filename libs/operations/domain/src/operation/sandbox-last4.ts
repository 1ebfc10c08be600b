import { sha256 } from '@florin/kernel';

/** No sandbox card has a number. These stand for its last digits, and are the same whoever asks for them. */
export function sandboxLast4(operationId: string): string {
  const digits = Number.parseInt(sha256(operationId).slice(0, 8), 16) % 10_000;
  return digits.toString().padStart(4, '0');
}

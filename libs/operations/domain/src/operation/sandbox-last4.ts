import { sha256 } from '@florin/kernel';

/** Sandbox cards have no number. Derives stable last digits from the operation id instead. */
export function sandboxLast4(operationId: string): string {
  const digits = Number.parseInt(sha256(operationId).slice(0, 8), 16) % 10_000;
  return digits.toString().padStart(4, '0');
}

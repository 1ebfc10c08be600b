import { Option } from 'commander';
import { randomUUID } from 'node:crypto';
import type { CliContext } from './cli-context';

export function idempotencyKeyOption(): Option {
  return new Option('--idempotency-key <key>', 'repeats an earlier request safely; generated and printed by default');
}

/** The given key, or a new one. It is printed before the request, because a response may never arrive. */
export function idempotencyKeyOf(context: CliContext, given: string | undefined): string {
  if (given !== undefined) return given;
  const key = randomUUID();
  context.report(
    `Idempotency key: ${key}. If you get no response, repeat the command with --idempotency-key ${key}: it is executed once.`,
  );
  return key;
}

import type { FeeTerms } from '@florin/operations-domain';
import { UsageError } from '../cli-errors';

const pattern = /^(?:(\d+(?:\.\d{1,2})?)(?:\s*\+\s*(?=\d)|$))?(?:(\d{1,2}(?:\.\d{1,4})?)\s*%)?$/;

/** Reads a price as people write it: a fixed part, a percentage of the amount, or both with a plus between. */
export function readFeeTerms(name: string, text: string): FeeTerms {
  const [whole, fixed = '0', percent = '0'] = pattern.exec(text) ?? [];
  if (whole) return { fixed, percent };
  throw new UsageError(`--${name} must be a price such as 3.00+0.2%, 3.00 or 0.2%, not ${text}`);
}

export function tellFeeTerms(terms: FeeTerms | undefined): string | undefined {
  return terms && `${terms.fixed}+${terms.percent}%`;
}

import { ApiError, validationFailed } from '../../errors/api-error';

const maxDays = 366;
const dayMs = 24 * 60 * 60 * 1000;

/** From the start of the first UTC day to the end of the last, exclusive. */
export function readDays({ from, to }: { readonly from: string; readonly to: string }): { from: Date; until: Date } {
  const first = Date.parse(`${from}T00:00:00.000Z`);
  const end = Date.parse(`${to}T00:00:00.000Z`) + dayMs;
  if (first >= end) throw validationFailed('from must not be after to.');
  if (end - first > maxDays * dayMs) throw tooLarge(`The range has more than ${maxDays} days; narrow it.`);
  return { from: new Date(first), until: new Date(end) };
}

export function tooLarge(message: string): ApiError {
  return new ApiError('statement_too_large', message);
}

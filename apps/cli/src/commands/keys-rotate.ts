import { UsageError } from '../cli-errors';
import type { Command } from '../command';
import { type IssuedKey, issuedKeyOutput } from './key-output';

const longestOverlapHours = 7 * 24;

export const keysRotate: Command = {
  words: 'keys rotate',
  summary: 'Gives an API key a new secret and shows it, once. The old one goes on working for the overlap.',
  arguments: ['key-id'],
  options: {
    'overlap-hours': {
      value: 'hours',
      description: `0 to ${longestOverlapHours} (default: 24); 0 ends the old one at once`,
    },
  },
  run: async (input) => {
    const overlapHours = input.has('overlap-hours') ? readHours(input.text('overlap-hours')) : 24;
    const path = `/keys/${encodeURIComponent(input.text('key-id'))}/rotate`;
    return issuedKeyOutput(await input.api.post<IssuedKey>(path, { overlapHours }));
  },
};

function readHours(text: string): number {
  const hours = Number(text);
  if (/^\d+$/.test(text) && hours <= longestOverlapHours) return hours;
  throw new UsageError(`--overlap-hours must be a whole number from 0 to ${longestOverlapHours}, not ${text}`);
}

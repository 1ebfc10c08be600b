import type { Command } from '../command';
import { type Deposit, depositsOutput } from './deposit-output';
import { pageOptions, pathWith, type ResultPage } from './page-output';

const statuses = ['matched', 'unmatched', 'resolved'] as const;

export const depositsList: Command = {
  words: 'deposits list',
  summary: 'Shows what arrived at our addresses on TRON, and what became of it.',
  arguments: [],
  options: { status: { value: statuses.join('|'), description: 'only these (default: all)' }, ...pageOptions },
  run: async (input) => {
    if (input.has('status')) input.oneOf('status', statuses);
    const path = pathWith(input, '/deposits', ['status', ...Object.keys(pageOptions)]);
    return depositsOutput(await input.api.get<ResultPage<Deposit>>(path));
  },
};

import type { Command } from '../command';
import { type ReviewPage, reviewsOutput } from './review-output';

export const reviewsList: Command = {
  words: 'reviews list',
  summary: 'Shows the operations whose outcome is unknown and whose funds are held until you decide.',
  arguments: [],
  options: {
    limit: { value: 'number', description: 'how many at once, 1 to 100 (default: 50)' },
    cursor: { value: 'cursor', description: 'where to go on, as the page before has told' },
  },
  run: async (input) => {
    const query = new URLSearchParams();
    for (const name of ['limit', 'cursor']) if (input.has(name)) query.set(name, input.text(name));
    const path = query.size === 0 ? '/reviews' : `/reviews?${query.toString()}`;
    return reviewsOutput(await input.api.get<ReviewPage>(path));
  },
};

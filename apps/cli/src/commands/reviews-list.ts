import type { Command } from '../command';
import { pageOptions, pathWith, type ResultPage } from './page-output';
import { type Review, reviewsOutput } from './review-output';

export const reviewsList: Command = {
  words: 'reviews list',
  summary: 'Shows what waits for your decision: unknown outcomes, payments that came late, deposits nobody asked for.',
  arguments: [],
  options: pageOptions,
  run: async (input) => {
    const path = pathWith(input, '/reviews', Object.keys(pageOptions));
    return reviewsOutput(await input.api.get<ResultPage<Review>>(path));
  },
};

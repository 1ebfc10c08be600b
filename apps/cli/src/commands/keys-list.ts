import type { Command } from '../command';
import { type KeyDetails, keysOutput } from './key-output';

export const keysList: Command = {
  words: 'keys list',
  summary: 'Shows the API keys of a company.',
  arguments: ['company-id'],
  options: {},
  run: async (input) => {
    const path = `/companies/${encodeURIComponent(input.text('company-id'))}/keys`;
    return keysOutput(await input.api.get<{ data: readonly KeyDetails[] }>(path));
  },
};

import { holderStatuses } from '@florin/operations-domain';
import type { Command } from '../command';
import { type Holder, tellHolder } from './holder-output';

export const holdersSetStatus: Command = {
  words: 'holders set-status',
  summary: 'Sets the status of a cardholder. Live holders are pending at first; only active ones can get cards.',
  arguments: ['holder-id'],
  options: { status: { value: holderStatuses.join('|'), description: 'the new status' } },
  run: async (input) => {
    const path = `/holders/${encodeURIComponent(input.text('holder-id'))}/status`;
    const holder = await input.api.post<Holder>(path, { status: input.oneOf('status', holderStatuses) });
    return { answer: holder, text: tellHolder(holder) };
  },
};

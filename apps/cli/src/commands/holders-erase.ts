import { UsageError } from '../cli-errors';
import type { Command } from '../command';
import { type Holder, tellHolder } from './holder-output';

const afterwards =
  'The key to the name and e-mail address is destroyed. Backups of the schema vault that were made before still have it, ' +
  'and so may the issuer: docs/OPERATIONS.md tells what is left to do.';

export const holdersErase: Command = {
  words: 'holders erase',
  summary: 'Erases a person: name and e-mail address can never be read again. IT CANNOT BE UNDONE.',
  arguments: ['holder-id'],
  options: { yes: { description: 'you mean it; without this nothing happens' } },
  run: async (input) => {
    const holderId = input.text('holder-id');
    if (!input.has('yes')) {
      const loss = 'nobody can ever read the name and e-mail address again, and no card can be issued to the holder';
      throw new UsageError(`Erasing holder ${holderId} cannot be undone: ${loss}. Give --yes if you mean it`);
    }
    const holder = await input.api.post<Holder>(`/holders/${encodeURIComponent(holderId)}/erase`);
    return { answer: holder, text: `${tellHolder(holder)}\n\n${afterwards}` };
  },
};

import { capabilities } from '@florin/companies-domain';
import type { Command } from '../command';
import { type Company, companyOutput } from './company-output';

export const companiesActivate: Command = {
  words: 'companies activate',
  summary: 'Allows a company a capability in live, or takes it back.',
  arguments: ['company-id'],
  options: {
    capability: { value: capabilities.join('|'), description: 'what to allow' },
    off: { description: 'take it back instead' },
  },
  run: async (input) => {
    const path = `/companies/${encodeURIComponent(input.text('company-id'))}/activations`;
    const body = { capability: input.oneOf('capability', capabilities), active: !input.has('off') };
    return companyOutput(await input.api.post<Company>(path, body));
  },
};

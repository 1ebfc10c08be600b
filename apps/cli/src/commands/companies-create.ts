import { companyKinds } from '@florin/companies-domain';
import type { Command } from '../command';
import { type Company, companyOutput } from './company-output';

export const companiesCreate: Command = {
  words: 'companies create',
  summary: 'Registers a company. Its keys work once it is verified.',
  arguments: [],
  options: {
    name: { value: 'name', description: 'how the company is called' },
    kind: { value: companyKinds.join('|'), description: 'individual companies have a monthly issuance quota' },
  },
  run: async (input) => {
    const body = { name: input.text('name'), kind: input.oneOf('kind', companyKinds) };
    return companyOutput(await input.api.post<Company>('/companies', body));
  },
};

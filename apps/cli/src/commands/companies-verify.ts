import { verificationStatuses } from '@florin/companies-domain';
import type { Command } from '../command';
import { type Company, companyOutput } from './company-output';

export const companiesVerify: Command = {
  words: 'companies verify',
  summary: 'Sets the outcome of a verification. Without approval no key of the company works.',
  arguments: ['company-id'],
  options: { status: { value: verificationStatuses.join('|'), description: 'the outcome' } },
  run: async (input) => {
    const path = `/companies/${encodeURIComponent(input.text('company-id'))}/verification`;
    return companyOutput(await input.api.post<Company>(path, { status: input.oneOf('status', verificationStatuses) }));
  },
};

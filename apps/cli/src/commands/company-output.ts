import type { CommandOutput } from '../command';
import { type Columns, table } from '../table';

export interface Company {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly verification: string;
  readonly activations: readonly string[];
  readonly createdAt: string;
}

const columns: Columns<Company> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  KIND: ({ kind }) => kind,
  VERIFICATION: ({ verification }) => verification,
  'LIVE ACTIVATIONS': ({ activations }) => activations.join(', '),
  CREATED: ({ createdAt }) => createdAt,
};

export function companiesOutput(answer: { readonly data: readonly Company[] }): CommandOutput {
  const text = answer.data.length === 0 ? 'There are no companies yet.' : table(answer.data, columns);
  return { answer, text };
}

export function companyOutput(company: Company): CommandOutput {
  return { answer: company, text: table([company], columns) };
}

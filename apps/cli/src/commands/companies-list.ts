import type { Command } from '../command';
import { companiesOutput, type Company } from './company-output';

export const companiesList: Command = {
  words: 'companies list',
  summary: 'Shows every company.',
  arguments: [],
  options: {},
  run: async ({ api }) => companiesOutput(await api.get<{ data: readonly Company[] }>('/companies')),
};

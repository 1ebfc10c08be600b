import { webhookEventTypes } from '@florin/webhooks-domain';
import { UsageError } from '../cli-errors';
import type { Command } from '../command';
import { companyOptions, connectCompany } from '../company-connection';

interface Triggered {
  readonly id: string;
  readonly type: string;
}

const { key, company } = companyOptions;

export const trigger: Command = {
  words: 'trigger',
  summary: 'Makes a sample event in the sandbox, about an object that does not exist, and sends it as any other.',
  arguments: ['type'],
  options: { key: key!, company: company! },
  run: async (input) => {
    const type = readType(input.text('type'));
    const triggered = await connectCompany(input).post<Triggered>('/sandbox/events', { type });
    return { answer: triggered, text: `${triggered.type} is on its way as ${triggered.id}.` };
  },
};

function readType(text: string): string {
  if (webhookEventTypes.some((type) => type === text)) return text;
  throw new UsageError(`There is no event ${text}; choose from ${webhookEventTypes.join(', ')}`);
}

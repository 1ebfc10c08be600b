import { testEventType, type WebhookEvent, webhookEventTypes } from '@florin/webhooks-domain';
import type { Command } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { type CompanyOptions, connectCompany } from '../company-connection';
import { createdOptions, filterOption } from '../option-values';
import type { Columns } from '../table';
import { addReadCommands, companyCommand, requestOf } from './company-resource';

const columns: Columns<WebhookEvent> = {
  ID: ({ id }) => id,
  CREATED: ({ createdAt }) => createdAt,
  TYPE: ({ type }) => type,
  VERSION: ({ objectVersion }) => String(objectVersion),
  OBJECT: ({ data }) => (typeof data.object['id'] === 'string' ? data.object['id'] : undefined),
};

interface ResendOptions extends CompanyOptions {
  readonly endpointId?: string;
}

export function addEventCommands(program: Command, context: CliContext): void {
  const events = program.command('events').description('Read and resend the webhook events of a company.');
  addReadCommands(events, context, {
    noun: 'event',
    path: '/events',
    columns,
    filters: [
      filterOption('--type <type>', 'only events of this type', [...webhookEventTypes, testEventType]),
      ...createdOptions(),
    ],
  });
  companyCommand(events, 'resend <event-id>')
    .description('Send an event again, to all subscribed webhook endpoints or to one. It keeps its id.')
    .option('--endpoint-id <endpoint-id>', 'only to this webhook endpoint')
    .action(async (id: string, options: ResendOptions) => {
      const sent = await connectCompany(context, options).post(apiPath`/events/${id}/resend`, requestOf(options));
      context.output(sent, `Event ${id} will be sent again.`);
    });
}

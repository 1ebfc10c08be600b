import { webhookEventTypes } from '@florin/webhooks-domain';
import { Argument, type Command } from 'commander';
import type { CliContext } from '../cli-context';
import { addSandboxOptions, type CompanyOptions, connectCompany } from '../company-connection';

interface Triggered {
  readonly id: string;
  readonly type: string;
}

export function addTriggerCommand(program: Command, context: CliContext): void {
  addSandboxOptions(program.command('trigger'))
    .description('Create a sample event in the sandbox, about an object that does not exist, and deliver it.')
    .addArgument(new Argument('<type>', 'event type').choices(webhookEventTypes))
    .action(async (type: string, options: CompanyOptions) => {
      const triggered = await connectCompany(context, options).post<Triggered>('/sandbox/events', { type });
      context.output(triggered, `Created ${triggered.type} as ${triggered.id}.`);
    });
}

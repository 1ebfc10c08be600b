import type { CliContext } from './cli-context';
import { CommandFailed, UsageError } from './cli-errors';

/** Creates the user of EVENTSTORE_URL with the rights that Florin needs. */
export async function grantEventStoreRights(context: CliContext): Promise<void> {
  const { EVENTSTORE_URL: url, EVENTSTORE_ADMIN_URL: adminUrl } = context.environment;
  if (!url) throw new UsageError('EVENTSTORE_URL must be set, with the user to create.');
  if (!adminUrl) throw new UsageError('EVENTSTORE_ADMIN_URL must be set, with an administrator of the server.');
  const { findServerProblem, grantRights } = await import('@florin/event-store-eventstoredb');
  const problem = await findServerProblem(adminUrl);
  if (problem !== undefined) throw new CommandFailed(problem.replaceAll('EVENTSTORE_URL', 'EVENTSTORE_ADMIN_URL'));
  try {
    const granted = await grantRights(adminUrl, url);
    context.output(granted, `The user ${granted.user} can ${granted.rights.join(', and ')}.`);
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error));
  }
}

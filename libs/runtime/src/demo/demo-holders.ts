import type { CommandBus, EventStore } from '@florin/event-sourcing';
import { canonicalJson, type Clock, deterministicId } from '@florin/kernel';
import type { HolderVault, RegisterHolder } from '@florin/operations-domain';
import { execute, hasEvents } from './demo-log';

const people = [
  { name: 'Ada Example', email: 'ada@example.com', kind: 'individual', externalId: 'demo-ada' },
  { name: 'Ben Example', email: 'ben@example.com', kind: 'individual', externalId: 'demo-ben' },
] as const;

export interface DemoHolders {
  readonly bus: CommandBus;
  readonly store: EventStore;
  readonly vault: HolderVault;
  readonly clock: Clock;
}

/** Registers two active holders. The next start completes an interrupted one. */
export async function seedHolders(
  { bus, store, vault, clock }: DemoHolders,
  companyId: string,
  environment: 'sandbox' | 'live',
): Promise<void> {
  const accountId = `${companyId}-${environment}`;
  if (await hasEvents(store, `holders-${accountId}`, people.length)) return;
  for (const { name, email, kind, externalId } of people) {
    const requestId = deterministicId('demo holder', accountId, externalId);
    const holderId = deterministicId('holder', requestId);
    const fingerprint = await vault.fingerprint(holderId, canonicalJson({ name, email, kind, externalId }));
    const facts = { holderId, companyId, environment, kind, externalId, requestId, fingerprint };
    const sealed = await vault.seal(holderId, { name, email });
    const createdAt = clock.now().toISOString();
    const command: RegisterHolder = {
      type: 'RegisterHolder',
      data: { accountId, ...facts, status: 'active', sealed, createdAt },
    };
    const refusal = await execute(bus, { context: 'operations', key: accountId, command, id: requestId });
    if (refusal) throw new Error(`A demo holder could not be registered: ${refusal.message}`);
  }
}

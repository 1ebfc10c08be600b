import {
  type BatchContext,
  beforeFirst,
  BlockedEvent,
  type Projection,
  type RecordedEvent,
} from '@florin/event-sourcing';
import type { KeyWrapper } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import {
  endpointAggregate,
  eventIdOf,
  isCompact,
  type ObjectKind,
  timeOrderedEventId,
  type WebhookEvent,
} from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { loadHolderKeys } from '../holders/holder-rows';
import { isEndpointChange, loadEndpoints } from './endpoint-rows';
import { Endpoints } from './endpoints';
import { eraseHolder } from './erase-holder';
import { firstPositions, loadLatestObjects, type LatestObjects } from './latest-objects';
import { PublishedEvents } from './published-events';
import { readHighWaterMark, moveHighWaterMark } from './delivery-high-water-mark';
import { isPublished, sourceCategories, type SourceEvent, sourceEvent } from './source-events';
import type { AffectedObject, DerivationContext } from './affected-objects';
import { applyToDeliveries } from './endpoint-effects';

export const webhooksProjectionName = 'webhooks';

/**
 * Publishes webhook events and adds their deliveries. Each event is derived from the previous one about the same object and
 * from the log, so that this projection depends on no other read model.
 */
export const webhooksProjection = (vaultKeys: KeyWrapper): Projection<PoolClient> => ({
  name: webhooksProjectionName,
  categories: sourceCategories,
  // The deliveries of an event depend on the endpoints, which are in another stream.
  undivided: true,
  // Deliveries start when their events are projected.
  isPrompt: true,
  project: async (recorded, tx, context) => {
    const publishable = recorded.filter(isPublished);
    const sources = publishable.map(sourceEvent);
    if (sources.length === 0) return;
    const latest = await loadLatestObjects(firstPositions(sources), tx);
    if (context !== undefined) requireEndpoints(publishable, sources, latest, context);
    const keys = await loadHolderKeys(detailedHolders(sources), tx, vaultKeys);
    const endpoints = new Endpoints(await loadEndpoints(accountsOf(sources, latest), endpointsOf(sources), tx));
    // Late events were never sent, although later ones were.
    const highWaterMark = context?.isLate ? beforeFirst : await readHighWaterMark(tx);
    const published = new PublishedEvents(latest, endpoints, highWaterMark, tx);
    for (const source of sources) {
      const { endpointEvent, affected, erasedHolder } = source;
      if (endpointEvent !== undefined && isEndpointChange(endpointEvent)) endpoints.apply(endpointEvent, source);
      for (const object of affected) publish(published, source, object, latest, { keys, endpoints });
      if (endpointEvent !== undefined) await applyToDeliveries(endpointEvent, source, endpoints, published, tx);
      if (erasedHolder === undefined) continue;
      await published.flush();
      await eraseHolder(erasedHolder, tx);
    }
    await published.flush();
    await endpoints.save(tx);
    await moveHighWaterMark(sources, tx);
  },
});

function publish(
  published: PublishedEvents,
  source: SourceEvent,
  affected: AffectedObject,
  latest: LatestObjects,
  context: DerivationContext,
): void {
  const { kind, id: objectId, eventId: id = newEventId(source, kind) } = affected;
  const known = affected.isFirst ? undefined : latest.get(objectId);
  const derived = affected.derive(known?.object, context);
  if (derived === undefined) return;
  const { companyId, environment } = affected.owner ?? known?.owner ?? context.endpoints.ownerOf(objectId);
  published.publish(source, { id, ...derived, owner: { companyId, environment }, objectId });
}

function newEventId({ id, recordedAt }: SourceEvent, kind: ObjectKind): WebhookEvent['id'] {
  return isCompact(kind) ? timeOrderedEventId(id, kind, recordedAt) : eventIdOf(id, kind);
}

/** An event must not be sent to endpoints that are not known: it waits while the endpoints of its account are set aside. */
function requireEndpoints(
  recorded: readonly RecordedEvent[],
  sources: readonly SourceEvent[],
  latest: LatestObjects,
  { setAsideFrom }: BatchContext,
): void {
  const owners = new Map([...latest].map(([id, { owner }]) => [id, owner]));
  sources.forEach(({ affected, endpointEvent, position }, index) => {
    if (endpointEvent !== undefined) return;
    for (const { id, owner = owners.get(id) } of affected) {
      if (owner === undefined) continue;
      owners.set(id, owner);
      const stream = `${endpointAggregate.category}-${accountIdOf(owner.companyId, owner.environment)}`;
      if ((setAsideFrom(stream) ?? position) < position) {
        throw new BlockedEvent(recorded[index]!, `the webhook endpoints of its account, ${stream}, cannot be read`);
      }
    }
  });
}

/** The holders whose details the events have. */
function detailedHolders(sources: readonly SourceEvent[]): readonly string[] {
  const affected = sources.flatMap((source) => source.affected);
  return affected.filter(({ needsKey }) => needsKey).map(({ id }) => id);
}

/** The accounts whose endpoints may receive events. */
function accountsOf(sources: readonly SourceEvent[], latest: LatestObjects): ReadonlySet<string> {
  const accounts = new Set<string>();
  for (const { companyId, environment } of [...latest.values()].map(({ owner }) => owner)) {
    accounts.add(accountIdOf(companyId, environment));
  }
  for (const { affected, endpointEvent } of sources) {
    if (endpointEvent !== undefined) accounts.add(endpointEvent.data.accountId);
    for (const { owner } of affected) {
      if (owner !== undefined) accounts.add(accountIdOf(owner.companyId, owner.environment));
    }
  }
  return accounts;
}

/** The endpoints that events concern, including deleted ones. */
function endpointsOf(sources: readonly SourceEvent[]): readonly string[] {
  return sources.flatMap(({ endpointEvent }) =>
    endpointEvent !== undefined && 'endpointId' in endpointEvent.data && endpointEvent.data.endpointId !== undefined
      ? [endpointEvent.data.endpointId]
      : [],
  );
}

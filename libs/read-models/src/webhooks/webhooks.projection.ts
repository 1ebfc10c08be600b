import type { Projection } from '@florin/event-sourcing';
import { accountIdOf } from '@florin/ledger-domain';
import { eventIdOf } from '@florin/webhooks-domain';
import type { PoolClient } from 'pg';
import { loadHolderKeys } from '../holders/holder-rows';
import { isEndpointChange, loadEndpoints } from './endpoint-rows';
import { Endpoints } from './endpoints';
import { eraseHolder } from './erase-holder';
import { firstPositions, loadTold, type ToldObjects } from './event-rows';
import { Outbox } from './outbox';
import { sentUpTo, setSentUpTo } from './sent-up-to';
import { isTold, sourceCategories, type SourceEvent, sourceEvent } from './source-events';
import type { Subject, Surroundings } from './subjects';
import { affectDeliveries } from './wish-effects';

/**
 * What companies are told, and to whom it is sent. What an event shows is derived from the event before it about the same
 * object, and from the log: no other read model has to be as far as this one.
 */
export const webhooksProjection: Projection<PoolClient> = {
  name: 'webhooks',
  categories: sourceCategories,
  // Whom an event is sent to depends on the endpoints, which another stream tells of.
  undivided: true,
  project: async (recorded, tx) => {
    const sources = recorded.filter(isTold).map(sourceEvent);
    if (sources.length === 0) return;
    const told = await loadTold(firstPositions(sources), tx);
    const keys = await loadHolderKeys(registeredHolders(sources), tx);
    const endpoints = new Endpoints(await loadEndpoints(accountsOf(sources, told), endpointsOf(sources), tx));
    const outbox = new Outbox(told, endpoints, await sentUpTo(tx), tx);
    for (const source of sources) {
      const { wish, subjects, erasedHolder } = source;
      if (wish !== undefined && isEndpointChange(wish)) endpoints.apply(wish, source);
      for (const subject of subjects) tell(outbox, source, subject, told, { keys, endpoints });
      if (wish !== undefined) await affectDeliveries(wish, source, endpoints, outbox, tx);
      if (erasedHolder === undefined) continue;
      await outbox.flush();
      await eraseHolder(erasedHolder, tx);
    }
    await outbox.flush();
    await endpoints.save(tx);
    await setSentUpTo(sources, tx);
  },
};

function tell(
  outbox: Outbox,
  source: SourceEvent,
  subject: Subject,
  told: ToldObjects,
  surroundings: Surroundings,
): void {
  const { kind, id: objectId, eventId: id = eventIdOf(source.id, kind) } = subject;
  const known = subject.isFirst ? undefined : told.get(objectId);
  const derived = subject.derive(known?.object, surroundings);
  if (derived === undefined) return;
  const { companyId, environment } = subject.owner ?? known?.owner ?? surroundings.endpoints.ownerOf(objectId);
  outbox.tell(source, { id, ...derived, owner: { companyId, environment }, objectId });
}

function registeredHolders(sources: readonly SourceEvent[]): readonly string[] {
  const subjects = sources.flatMap((source) => source.subjects);
  return subjects.filter(({ kind, isFirst }) => kind === 'holder' && isFirst).map(({ id }) => id);
}

/** Whose endpoints may come into it. */
function accountsOf(sources: readonly SourceEvent[], told: ToldObjects): ReadonlySet<string> {
  const accounts = new Set<string>();
  for (const { companyId, environment } of [...told.values()].map(({ owner }) => owner)) {
    accounts.add(accountIdOf(companyId, environment));
  }
  for (const { subjects, wish } of sources) {
    if (wish !== undefined) accounts.add(wish.data.accountId);
    for (const { owner } of subjects) {
      if (owner !== undefined) accounts.add(accountIdOf(owner.companyId, owner.environment));
    }
  }
  return accounts;
}

/** Those that events are about: a deleted one is known, too. */
function endpointsOf(sources: readonly SourceEvent[]): readonly string[] {
  return sources.flatMap(({ wish }) =>
    wish !== undefined && 'endpointId' in wish.data && wish.data.endpointId !== undefined ? [wish.data.endpointId] : [],
  );
}

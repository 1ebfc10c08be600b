import { apiKeyAggregate, apiKeyEventVersions, companyAggregate, companyEventVersions } from '@florin/companies-domain';
import { categoryOf, eventCodec, type Projection, type RecordedEvent } from '@florin/event-sourcing';
import type { PoolClient } from 'pg';
import { applyApiKeyEvent, loadApiKeys, saveApiKeys } from './api-key-rows';
import { applyCompanyEvent, loadCompanies, saveCompanies } from './company-rows';

const companyCodec = eventCodec(companyEventVersions);
const apiKeyCodec = eventCodec(apiKeyEventVersions);

/**
 * Companies and their API keys. Each batch loads its rows, applies its events, and writes whole rows back, so redelivered
 * events and a rebuild give the same rows.
 */
export const companiesProjection: Projection<PoolClient> = {
  name: 'companies',
  categories: [companyAggregate.category, apiKeyAggregate.category],
  project: async (events, tx) => {
    await projectCompanies(ofCategory(companyAggregate.category, events), tx);
    await projectApiKeys(ofCategory(apiKeyAggregate.category, events), tx);
  },
};

function ofCategory(category: string, events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  return events.filter(({ stream }) => categoryOf(stream) === category);
}

async function projectCompanies(recorded: readonly RecordedEvent[], tx: PoolClient): Promise<void> {
  if (recorded.length === 0) return;
  const decoded = recorded.map((event) => companyCodec.decode(event));
  const rows = await loadCompanies(
    decoded.map(({ event }) => event.data.companyId),
    tx,
  );
  for (const { event, metadata } of decoded) applyCompanyEvent(rows, event, metadata.recordedAt);
  await saveCompanies(rows.values(), tx);
}

async function projectApiKeys(recorded: readonly RecordedEvent[], tx: PoolClient): Promise<void> {
  if (recorded.length === 0) return;
  const decoded = recorded.map((event) => apiKeyCodec.decode(event));
  const rows = await loadApiKeys(
    decoded.map(({ event }) => event.data.keyId),
    tx,
  );
  for (const { event, metadata } of decoded) applyApiKeyEvent(rows, event, metadata.actor ?? null);
  await saveApiKeys(rows, tx);
}

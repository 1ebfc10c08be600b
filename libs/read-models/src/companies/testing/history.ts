import type { ApiKeyEvent, CompanyEvent } from '@florin/companies-domain';
import { type RecordedEvent, sealEvent } from '@florin/event-sourcing';
import { type Actor, randomId } from '@florin/kernel';

export const acme = 'c0ffee00-0000-4000-8000-000000000001';
export const ida = 'c0ffee00-0000-4000-8000-000000000002';
export const acmeKey = 'feedface-0000-4000-8000-000000000001';
export const idaKey = 'feedface-0000-4000-8000-000000000002';

export const recordedAt = '2026-01-01T00:00:00.123Z';
export const expiresAt = '2027-01-01T00:00:00.000Z';

/** Two companies and their keys, with every event type and several events per stream. */
export const history: readonly (CompanyEvent | ApiKeyEvent)[] = [
  { type: 'CompanyRegistered', data: { companyId: acme, name: 'Acme "Ünited", Inc.', kind: 'corporate' } },
  { type: 'VerificationChanged', data: { companyId: acme, status: 'approved' } },
  { type: 'CompanyRegistered', data: { companyId: ida, name: 'Ida', kind: 'individual' } },
  { type: 'ActivationChanged', data: { companyId: acme, capability: 'services', active: true } },
  { type: 'ApiKeyIssued', data: issued(acmeKey, acme, 'acme-1') },
  { type: 'ActivationChanged', data: { companyId: acme, capability: 'direct_invoices', active: true } },
  { type: 'ApiKeyRotated', data: rotated(acmeKey, 'acme-2', '2026-03-01T00:00:00.000Z', '2026-03-08T00:00:00.000Z') },
  { type: 'ApiKeyIssued', data: issued(idaKey, ida, 'ida-1') },
  { type: 'ActivationChanged', data: { companyId: acme, capability: 'services', active: false } },
  { type: 'ApiKeyRotated', data: rotated(acmeKey, 'acme-3', '2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z') },
  { type: 'ApiKeyRevoked', data: { keyId: idaKey, revokedAt: '2026-04-01T00:00:00.000Z' } },
  { type: 'VerificationChanged', data: { companyId: ida, status: 'rejected' } },
];

function issued(keyId: string, companyId: string, secretHash: string) {
  const rest = { environment: 'live', name: 'Checkout', hint: secretHash, issuedAt: recordedAt, expiresAt } as const;
  return { ...rest, keyId, companyId, secretHash, scopes: ['cards:read', 'balance:read'] as const };
}

function rotated(keyId: string, secretHash: string, rotatedAt: string, overlapUntil: string) {
  return { keyId, secretHash, hint: secretHash, rotatedAt, overlapUntil };
}

/** The events as a store returns them; without an actor, as early releases wrote them. */
export function record(events: readonly (CompanyEvent | ApiKeyEvent)[], actor?: Actor): readonly RecordedEvent[] {
  const revisions = new Map<string, number>();
  return events.map(({ type, data }, index) => {
    const stream = 'keyId' in data ? `apikey-${data.keyId}` : `company-${data.companyId}`;
    const revision = revisions.get(stream) ?? 0;
    revisions.set(stream, revision + 1);
    const metadata = { schemaVersion: 1, recordedAt, correlationId: 'request', causationId: 'request', actor };
    const text = JSON.stringify(data);
    const { sealed } = sealEvent({ stream, revision, id: randomId(), type, data: text, metadata }, '');
    return { ...sealed, stream, revision, position: BigInt(index + 1) };
  });
}

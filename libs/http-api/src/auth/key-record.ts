import type { ApiKeyView } from '@florin/read-models';
import type { Caller } from '../caller';

/** An API key as it was read, prepared for many checks. */
export interface KeyRecord {
  readonly secretHash: string;
  readonly view: ApiKeyView;
  readonly caller: Caller;
  readonly validUntil: number;
  /** When the read began: the record does not contain later writes. */
  readonly readAt: number;
  /** Whether its use has been recorded. A record lives for a second, and once per second is enough. */
  useRecorded: boolean;
  /** Whether a newer record is being read. */
  refreshing: boolean;
}

export function keyRecord(secretHash: string, view: ApiKeyView, readAt: number): KeyRecord {
  const { companyId, companyName, companyKind, environment, keyId, scopes, activations } = view;
  const caller = { companyId, companyName, companyKind, environment, keyId, scopes, activations };
  // The secret can expire before its key does, if it has been rotated.
  const validUntil = Math.min(Date.parse(view.expiresAt), Date.parse(view.secretValidUntil));
  return { secretHash, view, caller, validUntil, readAt, useRecorded: false, refreshing: false };
}

import type { ApiKeyView } from '@florin/read-models';
import type { Caller } from '../input';

/** A key as it was read, prepared for being checked many times. */
export interface KeyRecord {
  readonly secretHash: string;
  readonly view: ApiKeyView;
  readonly caller: Caller;
  readonly validUntil: number;
  /** When the read began: what was written later, the record does not know. */
  readonly readAt: number;
  /** Whether its use has been noted. A record lives for a second, and once a second is often enough. */
  useRecorded: boolean;
}

export function keyRecord(secretHash: string, view: ApiKeyView, readAt: number): KeyRecord {
  const { companyId, companyName, companyKind, environment, keyId, scopes, activations } = view;
  const caller = { companyId, companyName, companyKind, environment, keyId, scopes, activations };
  // The presented secret may end before its key does, when it has been rotated.
  const validUntil = Math.min(Date.parse(view.expiresAt), Date.parse(view.secretValidUntil));
  return { secretHash, view, caller, validUntil, readAt, useRecorded: false };
}

/**
 * Texts that an event contains between two quotes. A stored event has their indexes, so these lists are append-only:
 * `packing.spec.ts` pins them. The previous release must be able to read events of this one, so a new word is first only
 * read: `writtenWords` includes it in the next release.
 */
export const punctuation = [
  ...[':', ',', '{', ':{', '}', '},', ':1,', '}}', ':2,', ':3,', ':4,', '},{', ':[{', '}]}', '}]}}', ':true,'],
  ...[':false,', ':[', '],', ']}', ':0,', '}},', ':1}', ':1}}', ':true}', ':false}', ':null,', ':null}', ':{}', ':[]'],
] as const;

/** Names of fields and values that most operations have. Complete: there are no more codes of one byte. */
export const frequentWords = [
  ...['schemaVersion', 'recordedAt', 'correlationId', 'causationId', 'actor', 'kind', 'id', 'hash', 'traceparent'],
  ...['operationId', 'amount', 'fee', 'total', 'fingerprint', 'cardId', 'companyId', 'environment', 'accountId'],
  ...['available', 'held', 'after', 'createdAt', 'description', 'reference', 'productId', 'type', 'order'],
  ...['reservationId', 'receipt', 'holderId', 'name', 'callId', 'deadline', 'requestedAt', 'result', 'last4'],
  ...['cardReference', 'requestId', 'depositId', 'status', 'balance', 'transactionId', 'invoiceId', 'metadata'],
  ...['service', 'operations', 'sandbox', 'live', '-sandbox', '-live', 'api_key', 'issue', 'topup', 'issuer'],
  ...['Card issue', 'Card top-up', 'failure', 'code', 'message', 'declined', 'operator', 'address', 'outcome'],
  ...['expiresAt', 'unloadNumber', 'payment', 'merchant', 'country', 'occurredAt', 'currency', 'USD', 'quota'],
] as const;

/** All others. They take two bytes. */
export const words = [
  ...['unload', 'Card unload', 'Service', 'Invoice payment', 'Sandbox funding', 'Deposit', 'bootstrap', 'chain'],
  ...['reportedAt', 'recipient', 'active', 'individual', 'corporate', 'sealed', 'externalId', 'purchase', 'refund'],
  ...['authorized', 'cleared', 'clearing', 'clearingId', 'reported', 'declineReason', 'final', 'refundOf', 'refundId'],
  ...['merchantCategory', 'originalAmount', 'originalCurrency', 'review_failed', 'completed', 'failed', 'pending'],
  ...['quoteId', 'quote', 'breakdown', 'fixed_fee', 'percent_fee', 'fixed', 'percent', 'minimumAmount', 'card'],
  ...['endpointId', 'url', 'secretId', 'previousSecretId', 'secretHash', 'overlapUntil', 'disabledAt', 'deletedAt'],
  ...['enabledAt', 'events', 'eventId', 'eventType', 'since', 'keyId', 'hint', 'scopes', 'issuedAt', 'rotatedAt'],
  ...['revokedAt', 'allow', 'deny', 'capability', 'approved', 'reason', 'limits', 'limit', 'daily', 'monthly'],
  ...['perTransaction', 'countries', 'merchantCategories', 'cardStatus', 'depositAmount', 'creditAmount'],
  ...['paymentUrl', 'payAmount', 'claimedAt', 'watchedUntil', 'settlement', 'blockNumber', 'blockTime', 'from', 'to'],
  ...['fromBlock', 'toBlock', 'toBlockId', 'toBlockTime', 'readTo', 'parentId', 'transfers', 'addresses', 'contract'],
  ...['startBlock', 'logIndex', 'invoice', 'invoices', 'granted', 'leftOver', 'phase', 'resolution', 'reviews'],
  ...['terms', 'answer', 'matches', 'note', 'noteId', 'notedAt', 'resolvedAt', 'late', 'forReview', 'adjustmentId'],
  ...['approvalId', 'proposedBy', 'confirmedBy', 'withdrawnBy', 'repeatedBy', 'canceledBy', 'direction', 'credit'],
  ...['debit', 'fourEyesAmount', 'decision', 'subject', 'purpose', 'operatorId', 'role', 'tokenHash', 'emailHash'],
  ...['sealedName', 'sealedEmail', 'sealedMetadata', 'refusal', 'deposit', 'settings', 'previous'],
] as const;

/** How many of `words` this release writes. It reads all of them. */
export const writtenWords: number = words.length;

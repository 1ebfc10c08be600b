import type { OperatorRole } from '@florin/companies-domain';

/** The compiler requires an entry for every role. */
export const roleDescriptions: Readonly<Record<OperatorRole, string>> = {
  viewer: 'reads, as every role does',
  support: 'also manages holders, cards and webhooks',
  finance: 'also decides on reviews, deposits and adjustments',
  admin: 'does everything',
};

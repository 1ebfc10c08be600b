import type { Scope } from '@florin/companies-domain';

/** The compiler requires an entry for every scope. */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  'balance:read': 'Read the balance and account statements',
  'cards:read': 'Read cards and products',
  'cards:reveal': 'Get the address of a page with the number, expiry and CVC of a card',
  'cards:write': 'Issue, top up, freeze and close cards; use the sandbox helpers',
  'funding:read': 'Read funding invoices',
  'funding:write': 'Create and read funding invoices',
  'holders:read': 'Read cardholders',
  'holders:write': 'Create cardholders',
  'operations:read': 'Read operations and card transactions',
  'services:write': 'Order services',
  'webhooks:read': 'Read webhook endpoints, events and deliveries',
  'webhooks:write': 'Manage webhook endpoints and resend events',
};

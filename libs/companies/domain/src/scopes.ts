/** What a key may be allowed to do. Each endpoint names the scope it needs. */
export const scopes = [
  'balance:read',
  'cards:read',
  'cards:write',
  'funding:read',
  'funding:write',
  'holders:read',
  'holders:write',
  'operations:read',
  'services:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof scopes)[number];

/** Every company has both, and they share nothing but the company itself. */
export const environments = ['sandbox', 'live'] as const;

export type Environment = (typeof environments)[number];

/** What a company may use in live only after it has been activated for it. */
export const capabilities = ['direct_invoices', 'services'] as const;

export type Capability = (typeof capabilities)[number];

/** The permissions of a key. Each endpoint requires one scope. */
export const scopes = [
  'balance:read',
  'cards:read',
  'cards:reveal',
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

/** Every company has both, and they share only the company itself. */
export const environments = ['sandbox', 'live'] as const;

export type Environment = (typeof environments)[number];

/** Features that a company can use in live only after activation. */
export const capabilities = ['direct_invoices', 'services'] as const;

export type Capability = (typeof capabilities)[number];

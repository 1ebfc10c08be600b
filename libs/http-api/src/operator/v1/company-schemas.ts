import type { Capability, CompanyKind, Scope, VerificationStatus } from '@florin/companies-domain';
import type { CompanyView } from '@florin/read-models';
import { z } from 'zod';
import { apiKeyId, companyId } from '../../ids';
import { scopeDescriptions } from '../../openapi/scope-descriptions';
import { actor, environment, explainedEnum, text, timestamp, timestampInput } from '../../schemas';
import { pageOf } from '../../pages';

const companyName = text(200).meta({ description: 'The name of the company', examples: ['Example Ltd'] });
const keyName = text(200).meta({ description: 'A name for the key', examples: ['Shop'] });
const kind = explainedEnum<CompanyKind>('CompanyKind', 'What the company is', {
  individual: 'A person, with a monthly quota of cards',
  corporate: 'A company, without a quota',
});
const verification = explainedEnum<VerificationStatus>('VerificationStatus', 'Whether the company is verified', {
  pending: 'Not verified yet: its keys do not work',
  approved: 'Verified: its keys work',
  rejected: 'Verification was refused: its keys do not work',
});
const capability = explainedEnum<Capability>('Capability', 'What live requires an activation for', {
  direct_invoices: 'Funding invoices',
  services: 'Operations of the type `service`',
});
const scope = explainedEnum<Scope>('Scope', 'What an API key may do', scopeDescriptions);

export const company = z
  .strictObject({
    id: companyId,
    name: z.string().meta({ description: 'The name of the company', examples: ['Example Ltd'] }),
    kind,
    verification,
    activations: z.array(capability).meta({ description: 'What is activated in live', uniqueItems: true }),
    createdAt: timestamp,
  })
  .meta({ id: 'Company', description: 'A company' });

export const companyList = pageOf('CompanyPage', company);

export const registration = z
  .strictObject({ name: companyName, kind })
  .meta({ id: 'CompanyCreation', description: 'A new company' });
export const verificationChange = z
  .strictObject({ status: verification })
  .meta({ id: 'VerificationChange', description: 'The new verification of a company' });
export const activationChange = z
  .strictObject({
    capability,
    active: z.boolean().meta({ description: 'Whether live may use it', examples: [true] }),
  })
  .meta({ id: 'ActivationChange', description: 'An activation to change' });

export const keyRequest = z
  .strictObject({
    name: keyName,
    environment,
    scopes: z
      .array(scope)
      .min(1, 'must contain at least one scope')
      .meta({ description: 'What the key may do', examples: [['cards:read', 'cards:write']] })
      .transform((given): Scope[] => [...new Set(given)]),
    expiresAt: timestampInput
      .optional()
      .meta({ description: 'When the key stops working; the default is 365 days from now' }),
  })
  .meta({ id: 'ApiKeyCreation', description: 'A new API key' });

export const rotation = z
  .strictObject({
    overlapHours: z
      .number()
      .min(0, 'must be from 0 to 168')
      .max(168, 'must be from 0 to 168')
      .default(24)
      .meta({ description: 'How many hours the old secret stays valid', examples: [24] }),
  })
  .meta({ id: 'ApiKeyRotation', description: 'How to replace the secret of a key' });

export const issuedKey = z
  .strictObject({
    id: apiKeyId,
    key: z.string().meta({ description: 'The API key. It is shown only once', examples: ['fl_test_…'] }),
  })
  .meta({ id: 'IssuedApiKey', description: 'An API key with its secret' });

export const revokedKey = z
  .strictObject({ id: apiKeyId, revokedAt: timestamp })
  .meta({ id: 'RevokedApiKey', description: 'A revoked API key' });

export const keyDetails = z
  .strictObject({
    id: apiKeyId,
    name: z.string().meta({ description: 'The name of the key', examples: ['Shop'] }),
    environment,
    scopes: z.array(scope).meta({ description: 'What the key may do', uniqueItems: true }),
    hint: z.string().meta({ description: 'The last four characters of the key', examples: ['x7Qz'] }),
    expiresAt: timestamp.meta({ description: 'When the key stops working' }),
    revokedAt: timestamp.nullable().meta({ description: 'When the key was revoked; null if it was not' }),
    lastUsedAt: timestamp.nullable().meta({ description: 'When the key was last used; null if never' }),
    createdBy: actor.optional(),
    rotatedBy: actor.optional(),
    revokedBy: actor.optional(),
  })
  .meta({ id: 'ApiKey', description: 'An API key without its secret' });

export const keyList = pageOf('ApiKeyPage', keyDetails);

export function companyBody({ companyId, name, kind, verification, activations, createdAt }: CompanyView) {
  return { id: companyId, name, kind, verification, activations, createdAt };
}

import type { Capability, CompanyKind, Scope, VerificationStatus } from '@florin/companies-domain';
import type { CompanyView } from '@florin/read-models';
import { z } from 'zod';
import { scopeNames } from '../../openapi/scope-descriptions';
import { actor, environment, id, text, timestamp, timestampInput } from '../../schemas';
import { pageOf } from '../../pages';

export const name = text(200);
const kind = z.enum(['individual', 'corporate'] satisfies CompanyKind[]);
const verification = z.enum(['pending', 'approved', 'rejected'] satisfies VerificationStatus[]);
const capability = z.enum(['direct_invoices', 'services'] satisfies Capability[]);
const scopes = z.array(z.enum(scopeNames)).min(1, 'must contain at least one scope');

export const company = z
  .strictObject({ id, name: z.string(), kind, verification, activations: z.array(capability), createdAt: timestamp })
  .meta({ id: 'Company' });

export const companyList = pageOf(company);

export const registration = z.strictObject({ name, kind });
export const verificationChange = z.strictObject({ status: verification });
export const activationChange = z.strictObject({ capability, active: z.boolean() });

export const keyRequest = z.strictObject({
  name,
  environment,
  scopes: scopes.transform((given): Scope[] => [...new Set(given)]),
  expiresAt: timestampInput.optional().meta({ description: 'The default is 365 days from now' }),
});

export const rotation = z.strictObject({
  overlapHours: z
    .number()
    .min(0, 'must be from 0 to 168')
    .max(168, 'must be from 0 to 168')
    .default(24)
    .meta({ description: 'How long the old secret stays valid' }),
});

export const issuedKey = z.strictObject({
  id,
  key: z.string().meta({ description: 'The API key. It is shown only once.' }),
});

export const revokedKey = z.strictObject({ id, revokedAt: timestamp });

export const keyDetails = z.strictObject({
  id,
  name: z.string(),
  environment,
  scopes: z.array(z.enum(scopeNames)),
  hint: z.string().meta({ description: 'The last four characters of the key' }),
  expiresAt: timestamp,
  revokedAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  createdBy: actor.optional(),
  rotatedBy: actor.optional(),
  revokedBy: actor.optional(),
});

export const keyList = pageOf(keyDetails);

export function companyBody({ companyId, name, kind, verification, activations, createdAt }: CompanyView) {
  return { id: companyId, name, kind, verification, activations, createdAt };
}

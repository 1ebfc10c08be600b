import { holderKinds, holderStatuses } from '@florin/operations-domain';
import type { HolderView } from '@florin/read-models';
import { z } from 'zod';
import { emailAddress, id, metadata, metadataSchema, text, timestamp } from '../../schemas';

export const holderKind = z.enum(holderKinds);
export const holderStatus = z.enum(holderStatuses);

export const externalId = text(128).meta({ description: 'Your own id for the holder', examples: ['customer-4711'] });

export const registration = z.strictObject({
  name: text(120).meta({ description: 'Given and family name, or the name of the company', examples: ['Ida Example'] }),
  email: emailAddress,
  kind: holderKind,
  externalId,
  metadata: metadataSchema.optional(),
});

/** The fields to change; all others stay as they are. */
export const holderChange = z
  .strictObject({
    name: registration.shape.name.optional(),
    email: emailAddress.optional(),
    status: holderStatus.optional().meta({
      description:
        'In live, only an operator can set `pending`, and `active` if an operator has not approved the holder or has set ' +
        'another status',
    }),
    metadata: metadataSchema.optional().meta({ description: 'Replaces all metadata; `{}` removes it' }),
  })
  .refine((change) => Object.keys(change).length > 0, { error: 'Send at least one field to change' });

export const holder = z
  .strictObject({
    id,
    name: z.string().meta({ examples: ['Ida Example'] }),
    email: z.string().meta({ examples: ['ida@example.com'] }),
    kind: holderKind,
    status: holderStatus.meta({ description: 'Cards can be issued only to an `active` holder', examples: ['active'] }),
    externalId: z.string().meta({ examples: ['customer-4711'] }),
    metadata: metadata.optional(),
    updatedAt: timestamp,
  })
  .meta({ id: 'Holder' });

export function holderBody({ id, name, email, kind, status, externalId, metadata, updatedAt }: HolderView) {
  return { id, name, email, kind, status, externalId, ...(metadata !== undefined && { metadata }), updatedAt };
}

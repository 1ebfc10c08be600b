import type { HolderKind, HolderStatus } from '@florin/operations-domain';
import type { HolderView } from '@florin/read-models';
import { z } from 'zod';
import { holderId } from '../../ids';
import { emailAddress, explainedEnum, metadata, metadataSchema, text, timestamp } from '../../schemas';

export const holderKind = explainedEnum<HolderKind>('HolderKind', 'Who the cardholder is', {
  individual: 'A person',
  corporate: 'A company',
});
export const holderStatus = explainedEnum<HolderStatus>(
  'HolderStatus',
  'The status of a cardholder. Cards can be issued only to an `active` holder',
  {
    pending: 'An operator has to approve the holder',
    active: 'Cards can be issued to the holder',
    blocked: 'No new cards can be issued to the holder, until the holder is active again',
    inactive: 'The holder has left, or the personal data of the holder was erased',
  },
);

export const externalId = text(128).meta({ description: 'Your own id for the holder', examples: ['customer-4711'] });

export const registration = z
  .strictObject({
    name: text(120).meta({
      description: 'Given and family name, or the name of the company',
      examples: ['Ida Example'],
    }),
    email: emailAddress,
    kind: holderKind,
    externalId,
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'HolderCreation', description: 'A new cardholder' });

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
  .refine((change) => Object.keys(change).length > 0, { error: 'Send at least one field to change' })
  .meta({
    id: 'HolderChange',
    description: 'The fields of a cardholder to change',
    minProperties: 1,
    examples: [{ email: 'ida@example.com' }],
  });

export const holder = z
  .strictObject({
    id: holderId,
    name: z.string().meta({ description: 'The name, or `[erased]` after an erasure', examples: ['Ida Example'] }),
    email: z
      .string()
      .meta({ description: 'The e-mail address, or `[erased]` after an erasure', examples: ['ida@example.com'] }),
    kind: holderKind,
    status: holderStatus.meta({ examples: ['active'] }),
    externalId: z.string().meta({ description: 'Your own id for the holder', examples: ['customer-4711'] }),
    metadata: metadata.optional(),
    updatedAt: timestamp,
  })
  .meta({ id: 'Holder', description: 'A cardholder' });

export function holderBody({ id, name, email, kind, status, externalId, metadata, updatedAt }: HolderView) {
  return { id, name, email, kind, status, externalId, ...(metadata !== undefined && { metadata }), updatedAt };
}

import { assertNever, type Metadata } from '@florin/kernel';
import type { HolderDetails, HolderEvent, HolderKind, HolderStatus, PersonalData } from '@florin/operations-domain';
import { type Derived, requirePrevious, updated } from './derived';

/** The object as in `GET /holders`. */
export interface HolderObject extends PersonalData {
  readonly id: string;
  readonly kind: HolderKind;
  readonly status: HolderStatus;
  readonly externalId: string;
  readonly metadata?: Metadata;
  /** Absent in objects of earlier releases. */
  readonly updatedAt?: string;
}

/** The decrypted details in an event. A detail whose key is destroyed is null. */
export type OpenedDetails = { readonly [Name in keyof HolderDetails]?: HolderDetails[Name] | null };

/** Replaces an erased name and e-mail address, as in the API. */
const nobody: PersonalData = { name: '[erased]', email: '[erased]' };

export function deriveHolder(
  previous: HolderObject | undefined,
  event: HolderEvent,
  details: OpenedDetails,
  recordedAt: string,
): Derived<HolderObject> | undefined {
  const { type, data } = event;
  switch (type) {
    case 'HolderRegistered': {
      const { holderId: id, kind, status, externalId, createdAt: updatedAt } = data;
      const object = withDetails({ id, ...nobody, kind, status, externalId, updatedAt }, details);
      return { type: 'holder.created', object };
    }
    case 'HolderChanged': {
      const known = requirePrevious(previous, event);
      const object = { ...withDetails(known, details), status: data.status ?? known.status, updatedAt: recordedAt };
      return { type: 'holder.updated', object };
    }
    case 'HolderStatusChanged': {
      const derived = updated('holder.updated', requirePrevious(previous, event), { status: data.status });
      return derived && { ...derived, object: { ...derived.object, updatedAt: recordedAt } };
    }
    case 'HolderErased': {
      const known = withoutPerson(requirePrevious(previous, event));
      return { type: 'holder.updated', object: { ...known, status: 'inactive', updatedAt: recordedAt } };
    }
    default:
      return assertNever(type);
  }
}

function withDetails(holder: HolderObject, { name, email, metadata }: OpenedDetails): HolderObject {
  const { metadata: before, ...rest } = holder;
  const current = metadata === undefined ? before : metadata;
  return {
    ...rest,
    ...(name !== undefined && { name: name ?? nobody.name }),
    ...(email !== undefined && { email: email ?? nobody.email }),
    ...(current !== undefined && current !== null && { metadata: current }),
  };
}

/** The holder without personal data. */
export function withoutPerson({ metadata: _, ...holder }: HolderObject): HolderObject {
  return { ...holder, ...nobody };
}

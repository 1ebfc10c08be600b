import { assertNever } from '@florin/kernel';
import type { HolderEvent, HolderKind, HolderStatus, PersonalData } from '@florin/operations-domain';
import { type Derived, requirePrevious, updated } from './derived';

/** The object as in `GET /holders`. */
export interface HolderObject extends PersonalData {
  readonly id: string;
  readonly kind: HolderKind;
  readonly status: HolderStatus;
  readonly externalId: string;
}

/** Replaces an erased name and e-mail address, as in the API. */
const nobody: PersonalData = { name: '[erased]', email: '[erased]' };

/** `person` is the decrypted data of the registration; undefined when its key is deleted. */
export function deriveHolder(
  previous: HolderObject | undefined,
  event: HolderEvent,
  person?: PersonalData,
): Derived<HolderObject> | undefined {
  const { type, data } = event;
  switch (type) {
    case 'HolderRegistered': {
      const { holderId: id, kind, status, externalId } = data;
      const { name, email } = person ?? nobody;
      return { type: 'holder.created', object: { id, name, email, kind, status, externalId } };
    }
    case 'HolderStatusChanged':
      return updated('holder.updated', requirePrevious(previous, event), { status: data.status });
    case 'HolderErased': {
      const object = { ...withoutPerson(requirePrevious(previous, event)), status: 'inactive' } as const;
      return { type: 'holder.updated', object };
    }
    default:
      return assertNever(type);
  }
}

/** The holder without personal data. */
export function withoutPerson(holder: HolderObject): HolderObject {
  return { ...holder, ...nobody };
}

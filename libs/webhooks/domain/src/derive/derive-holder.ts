import { assertNever } from '@florin/kernel';
import type { HolderEvent, HolderKind, HolderStatus, PersonalData } from '@florin/operations-domain';
import { type Derived, known, updated } from './derived';

/** As `GET /holders` shows it. */
export interface HolderObject extends PersonalData {
  readonly id: string;
  readonly kind: HolderKind;
  readonly status: HolderStatus;
  readonly externalId: string;
}

/** Stands in the place of a name and an e-mail address that can never be read again, as in the API. */
const nobody: PersonalData = { name: '[erased]', email: '[erased]' };

/** `person` is what the registration has sealed, unless its key is destroyed. */
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
      return updated('holder.updated', known(previous, event), { status: data.status });
    case 'HolderErased': {
      const object = { ...withoutPerson(known(previous, event)), status: 'inactive' } as const;
      return { type: 'holder.updated', object };
    }
    default:
      return assertNever(type);
  }
}

/** What may be kept of a holder who has been erased. */
export function withoutPerson(holder: HolderObject): HolderObject {
  return { ...holder, ...nobody };
}

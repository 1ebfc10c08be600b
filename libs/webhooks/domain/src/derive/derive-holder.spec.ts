import type { HolderEvent } from '@florin/operations-domain';
import { deriveHolder, withoutPerson } from './derive-holder';

const registered: HolderEvent = {
  type: 'HolderRegistered',
  data: {
    ...{ holderId: 'h1', companyId: 'acme', environment: 'live', kind: 'individual', externalId: 'x1' },
    ...{ status: 'pending', sealed: 'sealed', requestId: 'r1', fingerprint: 'f1' },
    createdAt: '2030-01-01T00:00:00.000Z',
  },
};
const person = { name: 'Ida', email: 'ida@example.com' };
const holder = { id: 'h1', ...person, kind: 'individual', status: 'pending', externalId: 'x1' } as const;
const erased = { ...holder, name: '[erased]', email: '[erased]' };

const changed = (status: 'active' | 'pending'): HolderEvent => ({
  type: 'HolderStatusChanged',
  data: { holderId: 'h1', status, requestId: 's1' },
});

describe('deriveHolder', () => {
  it('creates the holder with personal data until they are erased', () => {
    expect(deriveHolder(undefined, registered, person)).toStrictEqual({ type: 'holder.created', object: holder });
    expect(deriveHolder(undefined, registered)).toStrictEqual({ type: 'holder.created', object: erased });
  });

  it('derives an update for each change of status', () => {
    const told = deriveHolder(holder, changed('active'));
    expect(told).toStrictEqual({ type: 'holder.updated', object: { ...holder, status: 'active' } });
    expect(deriveHolder(holder, changed('pending'))).toBeUndefined();
  });

  it('removes all personal data after the erasure', () => {
    const told = deriveHolder(holder, { type: 'HolderErased', data: { holderId: 'h1' } });
    expect(told).toStrictEqual({ type: 'holder.updated', object: { ...erased, status: 'inactive' } });
    expect(withoutPerson(holder)).toStrictEqual(erased);
  });
});

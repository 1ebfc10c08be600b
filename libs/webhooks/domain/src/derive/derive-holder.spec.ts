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
const createdAt = '2030-01-01T00:00:00.000Z';
const later = '2030-01-02T00:00:00.000Z';
const metadata = { team: 'blue' };
const facts = { kind: 'individual', status: 'pending', externalId: 'x1', updatedAt: createdAt } as const;
const holder = { id: 'h1', ...person, ...facts, metadata } as const;
const erased = { id: 'h1', ...facts, name: '[erased]', email: '[erased]' };

const changed = (status: 'active' | 'pending'): HolderEvent => ({
  type: 'HolderStatusChanged',
  data: { holderId: 'h1', status, requestId: 's1' },
});

describe('deriveHolder', () => {
  it('creates the holder with personal data until they are erased', () => {
    const created = deriveHolder(undefined, registered, { ...person, metadata }, later);
    expect(created).toEqual({ type: 'holder.created', object: holder });
    const unreadable = { name: null, email: null, metadata: null };
    expect(deriveHolder(undefined, registered, unreadable, later)).toEqual({ type: 'holder.created', object: erased });
  });

  it('derives an update for each change of status', () => {
    const updated = deriveHolder(holder, changed('active'), {}, later);
    expect(updated).toEqual({
      type: 'holder.updated',
      object: { ...holder, status: 'active', updatedAt: later },
    });
    expect(deriveHolder(holder, changed('pending'), {}, later)).toBeUndefined();
  });

  it('derives an update for each change of details', () => {
    const change = { holderId: 'h1', requestId: 'c1', requestedAt: later };
    const event = (data: object): HolderEvent => ({ type: 'HolderChanged', data: { ...change, ...data } });
    expect(deriveHolder(holder, event({ status: 'blocked' }), { name: 'Ada' }, later)).toEqual({
      type: 'holder.updated',
      object: { ...holder, name: 'Ada', status: 'blocked', updatedAt: later },
    });
    expect(deriveHolder(holder, event({}), { email: 'ada@example.com', metadata: {} }, later)?.object).toEqual({
      ...{ ...holder, email: 'ada@example.com', metadata: {}, updatedAt: later },
    });
    expect(deriveHolder(holder, event({}), { name: null, metadata: null }, later)?.object).toEqual({
      ...{ id: 'h1', ...facts, name: '[erased]', email: person.email, updatedAt: later },
    });
  });

  it('removes all personal data after the erasure', () => {
    const updated = deriveHolder(holder, { type: 'HolderErased', data: { holderId: 'h1' } }, {}, later);
    expect(updated).toEqual({
      type: 'holder.updated',
      object: { ...erased, status: 'inactive', updatedAt: later },
    });
    expect(withoutPerson(holder)).toEqual(erased);
  });
});

import { specFor } from '@florin/event-sourcing/testing';
import { holderAnswer, holderAggregate, sealedPerson } from './holder.decider';
import {
  type ChangeHolder,
  type EraseHolder,
  type HolderChanged,
  type HolderCommand,
  type HolderErased,
  type HolderEvent,
  type HolderRefusal,
  type HolderRegistered,
  type HolderStatus,
  type HolderStatusChanged,
  type RegisterHolder,
  type SetHolderStatus,
} from './holder.messages';

const { given } = specFor(holderAggregate);
const accountId = 'acme-live';

const registration: HolderRegistered['data'] = {
  holderId: 'h1',
  companyId: 'acme',
  environment: 'live',
  kind: 'individual',
  externalId: 'employee-1',
  status: 'pending',
  sealed: 'sealed-1',
  requestId: 'r1',
  fingerprint: 'f1',
  createdAt: '2030-01-01T00:00:00.000Z',
};
type Changes = Partial<HolderRegistered['data']>;
const register = (changes: Changes = {}): RegisterHolder => ({
  type: 'RegisterHolder',
  data: { accountId, ...registration, ...changes },
});
const registered = (changes: Changes = {}): HolderRegistered => ({
  type: 'HolderRegistered',
  data: { ...registration, ...changes },
});
const other = { holderId: 'h2', externalId: 'employee-2', requestId: 'r2', fingerprint: 'f2' };

const setStatus = (status: HolderStatus, requestId = 's1', holderId = 'h1'): SetHolderStatus => ({
  type: 'SetHolderStatus',
  data: { accountId, holderId, status, requestId },
});
const changed = (status: HolderStatus, requestId = 's1', holderId = 'h1'): HolderStatusChanged => ({
  type: 'HolderStatusChanged',
  data: { holderId, status, requestId },
});
const erase: EraseHolder = { type: 'EraseHolder', data: { accountId, holderId: 'h1' } };
const erased: HolderErased = { type: 'HolderErased', data: { holderId: 'h1' } };

const directoryAfter = (...events: readonly HolderEvent[]) =>
  events.reduce(holderAggregate.evolve, holderAggregate.initialState());

describe('A holder', () => {
  it('is registered once with the given status, next to other holders', () => {
    given().when(register()).then(registered());
    given(registered()).when(register(other)).then(registered(other));
    given()
      .when(register({ environment: 'sandbox', status: 'active' }))
      .then(registered({ environment: 'sandbox', status: 'active' }));
  });

  it('is not registered again by a repeated request, although its data is sealed again', () => {
    given(registered())
      .when(register({ sealed: 'sealed-again', createdAt: '2030-01-02T00:00:00.000Z' }))
      .then();
    given(registered(), changed('active'), erased).when(register()).then();
  });

  it('changes its status', () => {
    given(registered()).when(setStatus('active')).then(changed('active'));
    given(registered(), changed('active')).when(setStatus('blocked', 's2')).then(changed('blocked', 's2'));
  });

  describe('is changed by its company', () => {
    const at = '2030-01-03T00:00:00.000Z';
    const changes = { status: 'blocked', sealedName: 'n', sealedEmail: 'e', sealedMetadata: 'm' } as const;
    const change = (details: Partial<typeof changes> | { status: HolderStatus }, requestId = 'c1'): ChangeHolder => ({
      type: 'ChangeHolder',
      data: { accountId, holderId: 'h1', requestId, requestedAt: at, ...details },
    });
    const changedBy = (details: object, requestId = 'c1'): HolderChanged => ({
      type: 'HolderChanged',
      data: { holderId: 'h1', requestId, requestedAt: at, ...details },
    });
    const approved = changed('active');

    it('in each field, once per request', () => {
      given(registered(), approved).when(change(changes)).then(changedBy(changes));
      given(registered(), approved)
        .when(change({ sealedName: 'n' }))
        .then(changedBy({ sealedName: 'n' }));
      given(registered(), approved, changedBy(changes), changedBy({ status: 'active' }, 'c2'))
        .when(change(changes))
        .then();
      given().when(change(changes)).thenRefused('holder_unknown');
      given(registered(), erased)
        .when(change({ sealedName: 'n' }))
        .thenRefused('holder_erased');
    });

    it('has the newest name and e-mail address, and no metadata in its state', () => {
      const history = [registered({ sealedMetadata: 'm' }), changedBy({ sealedName: 'n1' }), changedBy(changes, 'c2')];
      const holder = directoryAfter(...history).holders.get('h1')!;
      expect(sealedPerson(holder)).toEqual(['sealed-1', 'n', 'e']);
      expect(sealedPerson(directoryAfter(registered()).holders.get('h1')!)).toEqual(['sealed-1']);
      expect(JSON.stringify(holder)).not.toContain('"m"');
    });

    it('but not activated without an operator in live', () => {
      given(registered())
        .when(change({ status: 'active' }))
        .thenRefused('status_not_allowed');
      given(registered(), changedBy({ status: 'inactive' }))
        .when(change({ status: 'active' }, 'c2'))
        .thenRefused('status_not_allowed');
      for (const status of ['blocked', 'inactive', 'pending'] as const) {
        given(registered(), approved, changed(status, 's2'), changedBy({ status: 'inactive' }))
          .when(change({ status: 'active' }, 'c2'))
          .thenRefused('status_not_allowed');
      }
      given(registered(), approved)
        .when(change({ status: 'pending' }))
        .thenRefused('status_not_allowed');
      given(registered(), approved, changedBy({ status: 'blocked' }))
        .when(change({ status: 'active' }, 'c2'))
        .then(changedBy({ status: 'active' }, 'c2'));
    });

    it('to every status in the sandbox', () => {
      const inSandbox = registered({ environment: 'sandbox', status: 'active' });
      for (const status of ['pending', 'blocked', 'inactive'] as const) {
        given(inSandbox).when(change({ status })).then(changedBy({ status }));
        given(inSandbox, changed(status))
          .when(change({ status: 'active' }))
          .then(changedBy({ status: 'active' }));
      }
    });
  });

  it('does not return to an earlier status when an old request is repeated', () => {
    given(registered()).when(setStatus('pending')).then(changed('pending'));
    given(registered(), changed('pending'), changed('active', 's2')).when(setStatus('pending')).then();
    given(registered(), changed('active'), changed('blocked', 's2')).when(setStatus('active')).then();
  });

  it('may use the request id of another holder', () => {
    given(registered(), registered(other), changed('active'))
      .when(setStatus('active', 's1', 'h2'))
      .then(changed('active', 's1', 'h2'));
  });

  it('is erased once and then inactive', () => {
    given(registered(), changed('active')).when(erase).then(erased);
    expect(holderAnswer(directoryAfter(registered(), changed('active'), erased), 'h1').status).toBe('inactive');
  });

  it.each<[string, readonly HolderEvent[], HolderCommand, HolderRefusal]>([
    [
      'different data under the same request id',
      [registered()],
      register({ fingerprint: 'f9' }),
      'idempotency_conflict',
    ],
    ['another request id for the same holder', [registered()], register({ requestId: 'r9' }), 'idempotency_conflict'],
    [
      'a conflict before an external id in use',
      [registered(), registered(other)],
      register({ externalId: 'employee-2', fingerprint: 'f9' }),
      'idempotency_conflict',
    ],
    ['an external id in use', [registered()], register({ ...other, externalId: 'employee-1' }), 'external_id_taken'],
    [
      'an external id in use, in another Unicode form',
      [registered({ externalId: 'cafe\u0301' })],
      register({ ...other, externalId: 'caf\u00e9' }),
      'external_id_taken',
    ],
    [
      'the external id of an erased holder',
      [registered(), erased],
      register({ ...other, externalId: 'employee-1' }),
      'external_id_taken',
    ],
    ['a status change of an erased holder', [registered(), erased], setStatus('inactive'), 'holder_erased'],
    ['a status change of an unknown holder', [registered()], setStatus('active', 's1', 'h2'), 'holder_unknown'],
    ['to erase an unknown holder', [], erase, 'holder_unknown'],
    ['to reactivate an erased holder', [registered(), erased], setStatus('active'), 'holder_erased'],
  ])('refuses %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it('stores the external id in Unicode normalization form C', () => {
    given()
      .when(register({ externalId: 'cafe\u0301' }))
      .then(registered({ externalId: 'caf\u00e9' }));
  });

  it('repeats the request of an earlier release, whose external id has another form', () => {
    given(registered({ externalId: 'cafe\u0301' }))
      .when(register({ externalId: 'cafe\u0301' }))
      .then();
  });

  it('returns its current state without personal data', () => {
    expect(holderAnswer(directoryAfter(registered(), changed('active')), 'h1')).toEqual({
      holderId: 'h1',
      kind: 'individual',
      status: 'active',
      externalId: 'employee-1',
      createdAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('throws on an event that precedes its registration', () => {
    expect(() => directoryAfter(changed('active'))).toThrow(/precedes the registration/);
  });
});

import { specFor } from '@florin/event-sourcing/testing';
import { operatorAggregate } from './operator.decider';
import type {
  ChangeOperatorRole,
  CreateOperator,
  DisableOperator,
  OperatorCommand,
  OperatorCreated,
  OperatorDisabled,
  OperatorEvent,
  OperatorRefusal,
  OperatorRoleChanged,
  OperatorTokenRotated,
  RotateOperatorToken,
} from './operator.messages';

const { given } = specFor(operatorAggregate);
const operatorId = '0bed0000-0000-4000-8000-000000000001';
const another = '0bed0000-0000-4000-8000-000000000002';

const create = (changes: Partial<CreateOperator['data']> = {}): CreateOperator => ({
  type: 'CreateOperator',
  data: {
    operatorId,
    sealed: 'sealed-ada',
    emailHash: 'email-of-ada',
    role: 'support',
    tokenHash: 'hash-1',
    hint: 'aaaa',
    createdAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  },
});
const created: OperatorCreated = { type: 'OperatorCreated', data: create().data };
const sameEmail = create({ operatorId: another, tokenHash: 'hash-9' });

const changeRole: ChangeOperatorRole = {
  type: 'ChangeOperatorRole',
  data: { operatorId, role: 'finance', requestId: 'request-1' },
};
const roleChanged: OperatorRoleChanged = { type: 'OperatorRoleChanged', data: changeRole.data };

const rotate: RotateOperatorToken = {
  type: 'RotateOperatorToken',
  data: { operatorId, tokenHash: 'hash-2', hint: 'bbbb', rotatedAt: '2026-02-01T00:00:00.000Z' },
};
const rotated: OperatorTokenRotated = { type: 'OperatorTokenRotated', data: rotate.data };

const disable: DisableOperator = {
  type: 'DisableOperator',
  data: { operatorId, disabledAt: '2026-03-01T00:00:00.000Z' },
};
const disabled: OperatorDisabled = { type: 'OperatorDisabled', data: disable.data };

describe('An operator', () => {
  it('is created once', () => {
    given().when(create()).then(created);
  });

  it('stores times as UTC with milliseconds for any ISO input', () => {
    given()
      .when(create({ createdAt: '2026-01-01T01:00:00+01:00' }))
      .then(created);
  });

  it('gets another role, another token, and is disabled', () => {
    given(created).when(changeRole).then(roleChanged);
    given(created, roleChanged).when(rotate).then(rotated);
    given(created, roleChanged, rotated).when(disable).then(disabled);
  });

  it('records a role change that changes nothing, so that a late duplicate cannot undo it', () => {
    const again: ChangeOperatorRole = { ...changeRole, data: { ...changeRole.data, requestId: 'request-2' } };
    given(created, roleChanged)
      .when(again)
      .then({ ...roleChanged, data: again.data });
  });

  it('recognizes repeats after any later event', () => {
    const all = [created, roleChanged, rotated, disabled];
    given(...all)
      .when(create())
      .then();
    given(...all)
      .when(changeRole)
      .then();
    given(...all)
      .when(rotate)
      .then();
    given(...all)
      .when({ ...disable, data: { operatorId, disabledAt: '2026-04-01T00:00:00.000Z' } })
      .then();
  });

  it('frees its e-mail address when it is disabled', () => {
    given(created).when(sameEmail).thenRefused('email_taken');
    given(created, disabled).when(sameEmail).then({ type: 'OperatorCreated', data: sameEmail.data });
  });

  it.each<[string, readonly OperatorEvent[], OperatorCommand, OperatorRefusal]>([
    ['create: another token under the same id', [created], create({ tokenHash: 'hash-9' }), 'operator_exists'],
    ['create: e-mail address of an enabled operator', [created, roleChanged, rotated], sameEmail, 'email_taken'],
    ['change of role: operator_unknown', [], changeRole, 'operator_unknown'],
    ['change of role: operator_disabled', [created, disabled], changeRole, 'operator_disabled'],
    ['rotation: operator_unknown', [], rotate, 'operator_unknown'],
    ['rotation: operator_disabled', [created, disabled], rotate, 'operator_disabled'],
    ['disabling: operator_unknown', [], disable, 'operator_unknown'],
  ])('refuses %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it('rejects an invalid time', () => {
    given(created)
      .when({ ...disable, data: { operatorId, disabledAt: 'soon' } })
      .thenThrows(/not a time: soon/);
  });

  it('returns the current operator', () => {
    const state = [created, roleChanged, disabled].reduce(operatorAggregate.evolve, operatorAggregate.initialState());
    expect(operatorAggregate.answer(state, disable, false)).toEqual({
      operatorId,
      role: 'finance',
      disabledAt: disable.data.disabledAt,
    });
  });
});

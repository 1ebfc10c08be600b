import type { OperatorActor } from '@florin/kernel';
import { OperatorRegister } from './operator-register';
import type { OperatorRole } from './operator-roles';

let register: OperatorRegister;
beforeEach(() => {
  register = new OperatorRegister();
});

const actor = (id: string): OperatorActor => ({ kind: 'operator', id });
const create = (operatorId: string, by: string, role: OperatorRole = 'finance', emailHash = operatorId) => {
  const token = { tokenHash: `token of ${operatorId}`, hint: 'aaaa', createdAt: '2030-01-01T00:00:00.000Z' };
  register.add({ type: 'OperatorCreated', data: { operatorId, sealed: '', emailHash, role, ...token } }, actor(by));
};
const rotate = (operatorId: string, by: string) => {
  const data = { operatorId, tokenHash: 'next', hint: 'bbbb', rotatedAt: '2030-01-01T00:00:00.000Z' };
  register.add({ type: 'OperatorTokenRotated', data }, actor(by));
};
const setRole = (operatorId: string, role: OperatorRole, by: string) =>
  register.add({ type: 'OperatorRoleChanged', data: { operatorId, role, requestId: 'q' } }, actor(by));
const disable = (operatorId: string) =>
  register.add(
    { type: 'OperatorDisabled', data: { operatorId, disabledAt: '2030-01-01T00:00:00.000Z' } },
    actor('bootstrap'),
  );

/** In both directions, because either one can propose. */
function expectObjection(one: string, other: string, message: RegExp): void {
  expect(register.objection(actor(one), actor(other))).toMatch(message);
  expect(register.objection(actor(other), actor(one))).toMatch(message);
}
function expectNone(one: string, other: string): void {
  expect(register.objection(actor(one), actor(other))).toBeUndefined();
  expect(register.objection(actor(other), actor(one))).toBeUndefined();
}

describe('Two operators count as two people', () => {
  it('if a third one has created them', () => {
    create('ada', 'bootstrap', 'admin');
    create('bob', 'bootstrap');
    create('eve', 'ada');
    expectNone('ada', 'bob');
    expectNone('bob', 'eve');
  });

  it('again after a third admin has replaced the token and the role', () => {
    create('ada', 'bootstrap', 'admin');
    create('bob', 'ada');
    rotate('bob', 'bootstrap');
    expectObjection('ada', 'bob', /ada has issued the token or granted the role of operator bob/);
    setRole('bob', 'finance', 'bootstrap');
    expectNone('ada', 'bob');
  });
});

describe('Two operators do not count as two people', () => {
  it('if they are one operator', () => {
    create('ada', 'bootstrap');
    expectObjection('ada', 'ada', /^You have proposed this decision/);
  });

  it('if one is unknown, disabled, or has another role', () => {
    create('ada', 'bootstrap');
    create('bob', 'bootstrap');
    expectObjection('ada', 'eve', /eve is disabled or has no role that may decide: withdraw the proposal/);
    setRole('bob', 'support', 'bootstrap');
    expectObjection('ada', 'bob', /bob is disabled or has no role/);
    setRole('bob', 'finance', 'bootstrap');
    expectNone('ada', 'bob');
    disable('bob');
    expectObjection('ada', 'bob', /bob is disabled or has no role/);
  });

  it('if they have the same e-mail address', () => {
    create('ada', 'bootstrap', 'finance', 'ada@example.com');
    create('ada-again', 'bootstrap', 'finance', 'ada@example.com');
    expectObjection('ada', 'ada-again', /the same e-mail address: a different person must confirm/);
  });

  it('if one has created the other, rotated the token or granted the role', () => {
    create('ada', 'bootstrap', 'admin');
    for (const id of ['bob', 'eve']) create(id, 'bootstrap');
    create('dan', 'ada');
    rotate('bob', 'ada');
    setRole('eve', 'finance', 'ada');
    for (const id of ['bob', 'eve', 'dan']) {
      expectObjection(
        'ada',
        id,
        new RegExp(`ada has issued the token or granted the role of operator ${id}: let a third`),
      );
    }
  });

  it('if one has acted through other operators', () => {
    create('ada', 'bootstrap', 'admin');
    create('puppet', 'ada', 'admin');
    create('bob', 'puppet');
    expectObjection('ada', 'bob', /ada has issued/);
    // A token that a puppet replaces itself is known to the same person.
    rotate('puppet', 'puppet');
    setRole('puppet', 'admin', 'puppet');
    expectObjection('ada', 'puppet', /ada has issued/);
    // Two puppets that replace each other's tokens.
    create('second', 'ada', 'admin');
    for (const [one, other] of [
      ['puppet', 'second'],
      ['second', 'puppet'],
    ] as const) {
      rotate(one, other);
      setRole(one, 'admin', other);
    }
    expectObjection('ada', 'puppet', /ada has issued/);
    expectObjection('ada', 'second', /ada has issued/);
  });

  it('if one is the bootstrap operator, who is behind all others', () => {
    create('ada', 'bootstrap', 'admin');
    create('bob', 'ada');
    for (const id of ['ada', 'bob']) {
      expectObjection('bootstrap', id, /let two named operators with the role finance decide/);
    }
  });
});

it('throws on an event of an unknown operator', () => {
  expect(() => rotate('ada', 'bootstrap')).toThrow(/precedes the creation of operator ada/);
});

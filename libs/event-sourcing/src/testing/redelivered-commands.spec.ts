import type { Command, Decider, DomainEvent } from '@florin/kernel';
import { RedeliveredCommands } from './redelivered-commands';

type Set = Command<'Set' | 'Fail', { readonly value: number }>;
type WasSet = DomainEvent<'WasSet', { readonly value: number }>;

/** Does not remember earlier commands, so an old command overwrites a newer one. */
const forgetful: Decider<number, Set, WasSet> = {
  category: 'forgetful',
  initialState: () => 0,
  decide: ({ type, data }, value) => {
    if (type === 'Fail') throw new Error('impossible');
    return data.value === value ? [] : [{ type: 'WasSet', data }];
  },
  evolve: (_value, { data }) => data.value,
};

const set = (value: number): Set => ({ type: 'Set', data: { value } });
const wasSet = (value: number): WasSet => ({ type: 'WasSet', data: { value } });
const fold = (events: readonly WasSet[]): number => events.reduce(forgetful.evolve, forgetful.initialState());
const open = (...lastingFacts: readonly Set['type'][]) => new RedeliveredCommands(forgetful, fold, lastingFacts);

describe('RedeliveredCommands', () => {
  it('fails when a redelivered command undoes a newer one', () => {
    const redelivered = open();
    redelivered.accepted(set(1), [wasSet(1)]);
    expect(() => redelivered.expectNoChange()).not.toThrow();
    redelivered.refused(set(2));
    expect(() => redelivered.expectNoChange()).toThrow(/redelivered command changes.*"value":1.*"value":2.*"value":1/s);
  });

  it('skips impossible commands, lasting facts and histories over the maximum length', () => {
    const impossible = open();
    impossible.accepted(set(1), [wasSet(1)]);
    impossible.refused({ type: 'Fail', data: { value: 1 } });
    const lasting = open('Set');
    lasting.accepted(set(1), [wasSet(1)]);
    lasting.refused(set(2));
    const long = open();
    const history = Array.from({ length: 51 }, () => wasSet(1));
    long.accepted(set(1), history);
    long.refused(set(2));
    for (const each of [impossible, lasting, long]) expect(() => each.expectNoChange()).not.toThrow();
  });
});

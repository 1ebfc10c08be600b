import { type Aggregate, type Command, type DomainEvent, type EventVersions, refuse } from '@florin/kernel';

/** The smallest aggregate with repeats, refusals and a state, for tests of the command handler. */
export type Increment = Command<'Increment', { readonly id: string; readonly amount: number }>;
export type Incremented = DomainEvent<'Incremented', { readonly id: string; readonly amount: number }>;

export interface TallyState {
  total: number;
  readonly ids: Set<string>;
}

export const tallyLimit = 1_000_000;

export const tallyVersions: EventVersions<Incremented> = { Incremented: [] };

export const tallyAggregate: Aggregate<TallyState, Increment, Incremented, 'limit_reached', number> = {
  category: 'tally',
  versions: tallyVersions,
  initialState: () => ({ total: 0, ids: new Set() }),
  decide: ({ data }, state) => {
    if (state.ids.has(data.id)) return [];
    if (data.amount < 0) throw new Error('Invariant broken: a negative amount');
    if (state.total + data.amount > tallyLimit) return refuse('limit_reached', 'The tally is full');
    return [{ type: 'Incremented', data }];
  },
  evolve: (state, { data }) => {
    state.total += data.amount;
    state.ids.add(data.id);
    return state;
  },
  answer: (state) => state.total,
};

export function increment(id: string, amount = 1): Increment {
  return { type: 'Increment', data: { id, amount } };
}

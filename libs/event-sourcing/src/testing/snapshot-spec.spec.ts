import { expectPinnedState } from './snapshot-spec';
import { tallyAggregate } from './tally';

const aggregate = { ...tallyAggregate, stateVersion: 1 };
const history = [{ type: 'Incremented', data: { id: 'a', amount: 2 } }] as const;
const pinned = { stateVersion: 1, hash: '8ed4f1bd9ec7cba111599cc2529900f2498aecb444f16f94f61c3f7a144256cb' };

describe('expectPinnedState', () => {
  const doubled: typeof aggregate = {
    ...aggregate,
    evolve: (state, { data }) => ({ ...state, total: state.total + 2 * data.amount }),
  };

  it('accepts the pinned state', () => {
    expectPinnedState(aggregate, history, pinned);
  });

  it('fails when evolve changes without a new state version', () => {
    expect(() => expectPinnedState(doubled, history, pinned)).toThrow(/tally: evolve changed. Increment stateVersion/);
  });

  it('fails when the state version changes without a new pin', () => {
    const next = { ...aggregate, stateVersion: 2 };
    expect(() => expectPinnedState(next, history, pinned)).toThrow(/stateVersion/);
  });

  it('fails when the history leaves out an event type', () => {
    expect(() => expectPinnedState(aggregate, [], pinned)).toThrow(/Incremented/);
  });
});

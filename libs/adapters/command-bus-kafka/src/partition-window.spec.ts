import { PartitionWindow } from './partition-window';

function windowWith(...offsets: readonly number[]): PartitionWindow {
  const window = new PartitionWindow();
  for (const offset of offsets) window.add(offset);
  return window;
}

describe('PartitionWindow', () => {
  it('commits nothing before anything came', () => {
    expect(new PartitionWindow().offsetToCommit()).toBeUndefined();
  });

  it('commits up to the first that is unfinished, in whatever order they finish', () => {
    const window = windowWith(7, 8, 9);
    expect(window.offsetToCommit()).toBe(7);
    window.finish(9);
    window.finish(8);
    expect(window.offsetToCommit()).toBe(7);
    window.finish(7);
    expect(window.offsetToCommit()).toBe(10);
  });

  it('says nothing twice', () => {
    const window = windowWith(1);
    window.finish(1);
    window.markCommitted(2);
    expect(window.offsetToCommit()).toBeUndefined();
  });

  it('does not pass what is under way when it comes again behind younger ones', () => {
    const window = windowWith(1, 2, 3);
    window.finish(1);
    window.redeliver();
    window.finish(2);
    for (const offset of [4, 2, 3]) window.add(offset);
    window.finish(4);
    window.finish(3);
    expect(window.offsetToCommit()).toBe(2);
    window.finish(2);
    expect(window.offsetToCommit()).toBe(5);
  });

  it('commits anew after a rebalance, because the commit before may not have arrived', () => {
    const window = windowWith(1);
    window.finish(1);
    window.markCommitted(2);
    window.redeliver();
    expect(window.offsetToCommit()).toBe(2);
  });

  it('tells those who repeat that their message is delivered anew', () => {
    const window = windowWith(1);
    const { signal } = window;
    window.redeliver();
    expect(signal.aborted).toBe(true);
    expect(window.signal.aborted).toBe(false);
    window.abandon();
    expect(window.signal.aborted).toBe(true);
  });
});

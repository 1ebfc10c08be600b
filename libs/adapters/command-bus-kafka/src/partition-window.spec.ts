import { PartitionWindow } from './partition-window';

function windowWith(...offsets: readonly number[]): PartitionWindow {
  const window = new PartitionWindow();
  for (const offset of offsets) window.add(offset);
  return window;
}

describe('PartitionWindow', () => {
  it('commits nothing before the first message', () => {
    expect(new PartitionWindow().offsetToCommit()).toBeUndefined();
  });

  it('commits up to the first unfinished message, in any order of completion', () => {
    const window = windowWith(7, 8, 9);
    expect(window.offsetToCommit()).toBe(7);
    window.finish(9);
    window.finish(8);
    expect(window.offsetToCommit()).toBe(7);
    window.finish(7);
    expect(window.offsetToCommit()).toBe(10);
  });

  it('does not repeat a commit', () => {
    const window = windowWith(1);
    window.finish(1);
    window.markCommitted(2);
    expect(window.offsetToCommit()).toBeUndefined();
  });

  it('does not commit past an unfinished message that is redelivered after later ones', () => {
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

  it('repeats the commit after a rebalance, because the previous one may have been lost', () => {
    const window = windowWith(1);
    window.finish(1);
    window.markCommitted(2);
    window.redeliver();
    expect(window.offsetToCommit()).toBe(2);
  });

  it('aborts retries when their message is redelivered', () => {
    const window = windowWith(1);
    const { signal } = window;
    window.redeliver();
    expect(signal.aborted).toBe(true);
    expect(window.signal.aborted).toBe(false);
    window.abandon();
    expect(window.signal.aborted).toBe(true);
  });
});

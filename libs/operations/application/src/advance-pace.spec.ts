import { mostAtOnce } from './advance-pace';

const concurrency = { whenBusy: 8, whenIdle: 256, fewerPerRequest: 12, patienceMs: 5_000 };

describe('How many operations are moved on at once', () => {
  it.each([
    [0, 256],
    [1, 244],
    [10, 136],
    [21, 8],
    [64, 8],
  ])('beside %i requests is %i', (requests, most) => {
    expect(mostAtOnce(concurrency, requests, 0)).toBe(most);
  });

  it.each([
    [5_000, 8],
    [5_100, 8],
    [7_500, 128],
    [10_000, 256],
    [3_600_000, 256],
  ])('after operations have waited for %i ms is %i, whoever waits for an answer', (waitedMs, most) => {
    expect(mostAtOnce(concurrency, 64, waitedMs)).toBe(most);
  });

  it('is what the requests leave, where that is more', () => {
    expect(mostAtOnce(concurrency, 5, 7_500)).toBe(196);
  });
});

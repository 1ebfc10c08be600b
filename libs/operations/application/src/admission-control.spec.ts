import { maxAdvances, AdmissionControl } from './admission-control';

const options = {
  advancesWhenBusy: 8,
  advancesWhenIdle: 256,
  fewerPerRequest: 12,
  maxWaitMs: 5_000,
};

describe('The maximum of concurrent advances', () => {
  it.each([
    [0, 256],
    [1, 244],
    [10, 136],
    [21, 8],
    [64, 8],
  ])('with %i waiting requests is %i', (requests, max) => {
    expect(maxAdvances(options, requests, 0)).toBe(max);
  });

  it.each([
    [5_000, 8],
    [5_100, 8],
    [7_500, 128],
    [10_000, 256],
    [3_600_000, 256],
  ])('after operations have waited for %i ms is %i, even with waiting requests', (waitedMs, max) => {
    expect(maxAdvances(options, 64, waitedMs)).toBe(max);
  });

  it('is what the requests leave if that is more', () => {
    expect(maxAdvances(options, 5, 7_500)).toBe(196);
  });
});

describe('AdmissionControl', () => {
  const now = new Date('2030-01-01T00:01:00.000Z');
  const admission = new AdmissionControl(
    { now: () => now },
    { admission: { ...options, advancesWhenBusy: 1, fewerPerRequest: 256 } },
  );

  let begun: string[];
  let endings: (() => void)[];
  beforeEach(() => {
    begun = [];
    endings = [];
  });
  const task = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => endings.push(resolve));
  };
  const ago = (milliseconds: number): string => new Date(now.getTime() - milliseconds).toISOString();
  const settle = (): Promise<void> => new Promise(setImmediate);

  /** Ends all running tasks and those that start afterwards. */
  async function endAll(): Promise<void> {
    for (; endings.length > 0; await settle()) for (const end of endings.splice(0)) end();
  }
  afterEach(endAll);

  it('admits requests before operations', async () => {
    void admission.request(task('request'));
    for (const name of ['a', 'b', 'c']) void admission.begin(ago(1_000), task(name));
    void admission.advance(task('d'));
    await settle();
    expect(begun).toEqual(['request', 'a']);
    await endAll();
    expect(begun).toEqual(['request', 'a', 'b', 'c', 'd']);
  });

  it('admits operations next to requests after a long wait', async () => {
    void admission.request(task('request'));
    for (const name of ['a', 'b', 'c']) void admission.begin(ago(10_000), task(name));
    await settle();
    expect(begun).toEqual(['request', 'a', 'b', 'c']);
  });

  it('admits one request per started operation while operations have waited too long', async () => {
    void admission.begin(ago(11_000), task('late'));
    for (const name of ['a', 'b', 'c', 'd']) void admission.request(task(name));
    await settle();
    expect(begun).toEqual(['late', 'a']);
    void admission.begin(ago(10_001), task('as late'));
    await settle();
    expect(begun).toEqual(['late', 'a', 'as late', 'b']);
    void admission.begin(ago(10_000), task('in time'));
    await settle();
    expect(begun).toEqual(['late', 'a', 'as late', 'b', 'in time', 'c', 'd']);
  });

  it('rejects a request when 200 others are waiting', async () => {
    void admission.begin(ago(11_000), task('late'));
    for (let count = 0; count < 201; count++) void admission.request(task('request'));
    await expect(admission.request(task('too many'))).rejects.toThrow('retry later with the same id');
  });

  it('refuses a bulk request while operations have waited too long', async () => {
    const accepted = { ok: true, repeated: false, answer: [] } as const;
    void admission.begin(ago(10_000), task('in time'));
    await expect(admission.bulkRequest(async () => accepted)).resolves.toEqual(accepted);
    void admission.begin(ago(10_001), task('late'));
    const refused = await admission.bulkRequest(async () => accepted);
    expect(refused).toMatchObject({ ok: false, refusal: { refused: 'unavailable' } });
    void admission.begin(ago(0), task('in time again'));
  });

  it('releases the slot of a failed task', async () => {
    await expect(admission.request(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    for (const name of ['a', 'b']) void admission.begin(ago(0), task(name));
    await settle();
    expect(begun).toEqual(['a', 'b']);
  });
});

import { randomUUID } from 'node:crypto';
import { expectBody } from './harness/account';
import { ApiClient, utcDate } from './harness/client';
import { Florin } from './harness/florin';

interface Funding {
  readonly key: string;
  readonly cents: number;
  acknowledged: boolean;
}

/** Every amount is unique, so that the sum and the statement reveal a lost or a duplicate one. */
const fundings = (count: number): Funding[] =>
  Array.from({ length: count }, (_, index) => ({ key: randomUUID(), cents: 100_000 + index, acknowledged: false }));

const decimal = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

async function creditedCents(client: ApiClient): Promise<number[]> {
  const response = await client.get(`/api/v1/account-statements?from=${utcDate(-1)}&to=${utcDate(1)}`);
  const { data } = expectBody<{ data: { amount: string }[] }>(response, 200);
  return data.map(({ amount }) => Number(amount.replace('.', '')));
}

describe.each([
  ['the whole process tree', (florin: Florin) => florin.kill()],
  ['Florin alone, while its database server keeps running', (florin: Florin) => florin.killAlone()],
])('SIGKILL of %s during 200 concurrent fundings', (_, kill) => {
  const env = { RATE_LIMIT_SANDBOX: '0', LOG_LEVEL: 'warn' };
  const all = fundings(600);
  let first: Florin;
  let key: string;

  beforeAll(async () => {
    first = await Florin.start({ env });
    key = first.credentials.companies[0]!.keys.sandbox;
  });

  it('interrupts fundings', async () => {
    const client = new ApiClient(first.baseUrl, key);
    let killed: Promise<void> | undefined;
    let acknowledgedCount = 0;
    const fund = async (funding: Funding): Promise<void> => {
      const response = await client.fund(decimal(funding.cents), funding.key).catch(() => undefined);
      funding.acknowledged = response?.status === 201;
      if (funding.acknowledged && ++acknowledgedCount === 200) killed = kill(first);
    };
    // Each client sends its next funding after the last response, so that 200 are always in progress.
    const queue = [...all];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await fund(next);
    };
    await Promise.all(Array.from({ length: 200 }, work));
    await killed;
    expect(acknowledgedCount).toBeGreaterThanOrEqual(200);
    expect(acknowledgedCount).toBeLessThan(all.length);
  });

  describe('and a restart', () => {
    let second: Florin;
    let again: ApiClient;

    beforeAll(async () => {
      second = await Florin.start({ dataDirectory: first.dataDirectory, env });
      again = new ApiClient(second.baseUrl, key);
    });

    afterAll(async () => {
      expect(await second.stop()).toBe(0);
      second.removeData();
    });

    it('lose no acknowledged funding and duplicate none', async () => {
      const credited = await creditedCents(again);
      expect(new Set(credited).size).toBe(credited.length);
      for (const { cents } of all.filter(({ acknowledged }) => acknowledged)) expect(credited).toContain(cents);
    });

    it('record every funding once when clients repeat all requests with the same keys', async () => {
      const repeats = await Promise.all(all.map(({ cents, key: funding }) => again.fund(decimal(cents), funding)));
      expect(new Set(repeats.map((response) => response.status))).toEqual(new Set([201]));
      expect((await creditedCents(again)).sort((a, b) => a - b)).toEqual(all.map(({ cents }) => cents));
      const sum = all.reduce((total, { cents }) => total + cents, 0);
      expect(await again.balance()).toMatchObject({ available: decimal(sum) });
    });
  });
});

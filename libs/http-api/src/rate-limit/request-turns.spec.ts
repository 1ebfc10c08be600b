import { RequestTurns } from './request-turns';

const acme = { companyId: 'c0ffee00-0000-4000-8000-000000000001', environment: 'sandbox' } as const;
const other = { companyId: 'c0ffee00-0000-4000-8000-000000000002', environment: 'sandbox' } as const;

function setUp(rateLimits: { readonly live: number; readonly sandbox: number }) {
  let nowMs = Date.parse('2030-01-01T00:00:00.000Z');
  const turns = new RequestTurns({ rateLimits }, { now: () => new Date(nowMs) });
  const waits = (count: number, caller: Parameters<RequestTurns['msUntilTurn']>[0] = acme) =>
    Array.from({ length: count }, () => turns.msUntilTurn(caller));
  return { waits, pass: (ms: number) => (nowMs += ms) };
}

describe('RequestTurns', () => {
  it('starts a tenth of the rate at once, and the others at twice the rate', () => {
    const { waits, pass } = setUp({ live: 100, sandbox: 50 });
    expect(waits(8)).toEqual([0, 0, 0, 0, 0, 10, 20, 30]);
    pass(30);
    expect(waits(2)).toEqual([10, 20]);
    pass(1_000);
    expect(waits(6)).toEqual([0, 0, 0, 0, 0, 10]);
  });

  it('counts each company and environment separately', () => {
    const { waits } = setUp({ live: 100, sandbox: 50 });
    waits(50);
    expect(waits(5, other)).toEqual([0, 0, 0, 0, 0]);
    expect(waits(11, { ...acme, environment: 'live' })).toEqual([...Array<number>(10).fill(0), 5]);
  });

  it('starts two requests at once with any limit, and all without one', () => {
    expect(setUp({ live: 100, sandbox: 1 }).waits(3)).toEqual([0, 0, 500]);
    expect(setUp({ live: 100, sandbox: 0 }).waits(1_000)).toEqual(Array(1_000).fill(0));
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signPayload } from '@florin/kernel';
import { Random } from '../random';
import { FakeIssuer } from './fake-issuer';

const secret = 'a-secret-of-these-tests-alone';

describe('The fake issuer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-fake-issuer-'));
  const journal = join(folder, 'journal');
  let issuer: FakeIssuer;

  beforeAll(async () => {
    issuer = await FakeIssuer.start({ secret, journal, random: new Random('1'), patienceMs: 40 });
  });
  afterAll(async () => {
    await issuer.close();
    rmSync(folder, { recursive: true });
  });

  async function order(operationId: string, key = secret): Promise<string> {
    const body = JSON.stringify({ operationId, type: 'issue', amount: '10.00', cardId: 'c' });
    const signature = signPayload(key, Math.floor(Date.now() / 1_000), body);
    const headers = { 'Content-Type': 'application/json', 'Florin-Signature': signature };
    const signal = AbortSignal.timeout(1_500);
    return fetch(`${issuer.url}/operations`, { method: 'POST', body, headers, signal }).then(
      async (response) => `${response.status} ${((await response.json()) as { outcome?: string }).outcome ?? ''}`,
      () => 'nothing',
    );
  }

  it('behaves in every way there is, the same for each operation, and writes every call down first', async () => {
    const ids = Array.from({ length: 80 }, (_, index) => `operation-${index}`);
    const answers = await Promise.all(ids.map((id) => order(id)));
    expect(new Set(answers)).toEqual(new Set(['200 accepted', '200 declined', '500 ', 'nothing']));
    const behaviours = new Set(issuer.calls.map(({ behaviour }) => behaviour));
    expect(behaviours.size).toBeGreaterThanOrEqual(6);
    const before = issuer.calls.find(({ operationId }) => operationId === ids[0])!;
    await order(ids[0]!);
    expect(issuer.calls.at(-1)).toMatchObject({ operationId: ids[0], behaviour: before.behaviour, signed: true });
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(81);
  });

  it('does nothing for whoever has not signed', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ operationId: 'x', type: 'issue', amount: '1.00' });
    expect((await fetch(issuer.url, { method: 'POST', body, headers })).status).toBe(401);
    expect(issuer.calls.at(-1)).toMatchObject({ operationId: 'x', signed: false });
  });
});

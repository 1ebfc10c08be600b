import { createHash } from 'node:crypto';
import type { Account } from './harness/account';
import { utcDate } from './harness/client';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';

/** RFC 8785, as a client would implement it from the reference. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

interface Statement {
  readonly company: { readonly id: string };
  readonly revision: number;
  readonly hash: string;
  readonly data: readonly object[];
}

function recompute(statement: Statement): string {
  const rest: Record<string, unknown> = { ...statement, company: { id: statement.company.id } };
  delete rest['hash'];
  delete rest['generatedAt'];
  return createHash('sha256').update(canonicalJson(rest)).digest('hex');
}

describe('the hash of a statement', () => {
  let acme: Account;
  let other: Account;
  const range = `from=${utcDate(-1)}&to=${utcDate(1)}`;
  const past = `from=${utcDate(-9)}&to=${utcDate(-5)}`;

  const read = async (account: Account, query = range): Promise<Statement> =>
    (await account.get(`/api/v1/account-statements?${query}`)).body as unknown as Statement;
  const verify = async (account: Account, { revision, hash }: Pick<Statement, 'revision' | 'hash'>, query = range) =>
    (await account.get(`/api/v1/account-statements/verify?${query}&revision=${revision}&hash=${hash}`)).body;

  beforeAll(async () => {
    const operator = new Operator(await sharedFlorin());
    acme = await operator.newKey(await operator.newCompany());
    other = await operator.newKey(await operator.newCompany());
    for (const amount of ['10', '20.50']) expect((await acme.fund(amount)).status).toBe(201);
  });

  it('can be recomputed from the response', async () => {
    const statement = await read(acme);
    expect(statement).toMatchObject({ revision: 1, data: { length: 2 } });
    expect(statement.hash).toBe(recompute(statement));
  });

  it('is the same with the same revision after later entries, in a response of the same bytes but for its time', async () => {
    const before = await acme.get(`/api/v1/account-statements?${range}`);
    const { revision, hash } = before.body as unknown as Statement;
    expect((await acme.fund('30')).status).toBe(201);
    const after = await acme.get(`/api/v1/account-statements?${range}&revision=${revision}`);
    const withoutTime = (text: string) => text.replace(/"generatedAt":"[^"]+"/, '');
    expect(withoutTime(after.text)).toBe(withoutTime(before.text));
    expect(await read(acme)).toMatchObject({ revision: revision + 1, data: { length: 3 } });

    expect(await verify(acme, { revision, hash })).toEqual({
      valid: true,
      from: utcDate(-1),
      to: utcDate(1),
      revision,
      hash,
      recorded: { revision, hash, entries: 2, openingBalance: '0.00', closingBalance: '30.50' },
      newestRevision: revision + 1,
    });
  });

  it('is not confirmed with another revision, period or company', async () => {
    const { revision, hash } = await read(acme);
    expect(await verify(acme, { revision: revision - 1, hash })).toMatchObject({
      valid: false,
      recorded: { revision: revision - 1, entries: 2, closingBalance: '30.50' },
      newestRevision: revision,
    });
    // The account has no such revision.
    expect(await verify(acme, { revision: 99, hash })).toMatchObject({ valid: false, recorded: { revision, hash } });
    expect(await verify(acme, { revision, hash }, past)).toMatchObject({ valid: false, recorded: { revision: -1 } });
    expect(await verify(other, { revision, hash })).toMatchObject({ valid: false, recorded: { entries: 0 } });
  });

  it('exists for a period without entries', async () => {
    const statement = await read(other, past);
    expect(statement).toMatchObject({ revision: -1, data: [] });
    expect(await verify(other, statement, past)).toMatchObject({ valid: true, newestRevision: -1 });
  });

  it.each(['', 'revision=1', 'revision=1&hash=abc', `revision=01&hash=${'0'.repeat(64)}`])(
    'cannot be verified with the query "%s"',
    async (query) => {
      const response = await acme.get(`/api/v1/account-statements/verify?${range}&${query}`);
      expect([response.status, response.body['code']]).toEqual([400, 'validation_failed']);
    },
  );
});

import { randomUUID } from 'node:crypto';
import { type Account, codeOf, expectBody } from './harness/account';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';
import { service } from './harness/orders';
import type { RunningFlorin } from './harness/running-florin';

interface Person {
  readonly id: string;
  readonly as: Operator;
}

interface Adjustment {
  readonly id: string;
  readonly status: string;
}

describe('four eyes', () => {
  let florin: RunningFlorin;
  let admin: Operator;
  let ada: Person;
  let bob: Person;
  let companyId: string;
  let account: Account;

  beforeAll(async () => {
    florin = await sharedFlorin();
    admin = new Operator(florin);
    ada = await newOperator('Ada');
    bob = await newOperator('Bob');
  });
  beforeEach(async () => {
    companyId = await admin.newCompany();
    account = await admin.newKey(companyId);
  });

  async function newOperator(name: string): Promise<Person> {
    const person = { name, email: `${randomUUID()}@operators.example`, role: 'finance' };
    const response = await admin.post('/operator/v1/operators', person);
    const { id, token } = expectBody<{ id: string; token: string }>(response, 201);
    return { id, as: new Operator(florin, token) };
  }

  const actor = ({ id }: Person) => ({ kind: 'operator', id });
  const adjust = (who: Person, amount: string, direction = 'credit', key: string = randomUUID()) => {
    const body = { environment: 'sandbox', amount, direction, reason: 'A correction' };
    return who.as.post(`/operator/v1/companies/${companyId}/adjustments`, body, { 'Idempotency-Key': key });
  };
  const confirm = (who: Person, id: string) => who.as.post(`/operator/v1/adjustments/${id}/confirm`);
  const isPending = async (subjectId: string): Promise<boolean> => {
    const response = await admin.get('/operator/v1/approvals?limit=100');
    const { data } = expectBody<{ data: { subject: { id: string } }[] }>(response, 200);
    return data.some(({ subject }) => subject.id === subjectId);
  };

  it('are not needed for a small adjustment, which is in the statement once', async () => {
    const key = randomUUID();
    const created = expectBody<Adjustment>(await adjust(ada, '999.99', 'credit', key), 201);
    expect(created).toMatchObject({ status: 'completed', createdBy: actor(ada) });
    const again = await adjust(ada, '999.99', 'credit', key);
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([201, 'true', created]);
    expect(codeOf(await adjust(ada, '999.98', 'credit', key))).toEqual([409, 'idempotency_conflict']);
    expect(await account.entries()).toMatchObject([{ kind: 'adjustment', reference: created.id, amount: '999.99' }]);
    expect(await account.funds()).toEqual(['999.99', '0.00']);
  });

  it('confirm a large adjustment, which is executed once', async () => {
    const proposed = expectBody<Adjustment>(await adjust(ada, '1000.00'), 202);
    expect(proposed).toMatchObject({ status: 'proposed', proposedBy: actor(ada), proposal: { amount: '1000.00' } });
    expect(await isPending(proposed.id)).toBe(true);
    expect(codeOf(await confirm(ada, proposed.id))).toEqual([409, 'not_four_eyes']);
    expect(await account.funds()).toEqual(['0.00', '0.00']);
    const responses = await Promise.all([1, 2, 3].map(() => confirm(bob, proposed.id)));
    for (const response of [...responses, await confirm(ada, proposed.id)]) {
      const executed = expectBody<Adjustment>(response, 200);
      expect(executed).toMatchObject({ status: 'completed', proposedBy: actor(ada), confirmedBy: actor(bob) });
    }
    expect(await account.funds()).toEqual(['1000.00', '0.00']);
    expect(await account.entries(proposed.id)).toHaveLength(1);
    expect(await isPending(proposed.id)).toBe(false);
  });

  it('never debit more than the available funds', async () => {
    await account.fund('1500.00');
    const [one, other] = [await adjust(ada, '1000.00', 'debit'), await adjust(ada, '1000.00', 'debit')].map(
      (response) => expectBody<Adjustment>(response, 202).id,
    ) as [string, string];
    const codes = (await Promise.all([confirm(bob, one), confirm(bob, other)])).map(codeOf);
    expect(codes.sort()).toEqual([
      [200, undefined],
      [400, 'insufficient_funds'],
    ]);
    expect(await account.funds()).toEqual(['500.00', '0.00']);
  });

  it('complete the review of a large operation', async () => {
    await account.fund('5000.00');
    const { id, total, status } = await account.outcomeOf(service('1000.92'));
    expect(status).toBe('manual_review');
    const proposed = expectBody<object>(await ada.as.resolve(id, 'completed'), 202);
    expect(proposed).toMatchObject({
      status: 'manual_review',
      proposal: { proposedBy: actor(ada), amount: '1000.92' },
    });
    expect(codeOf(await ada.as.resolve(id, 'completed'))).toEqual([409, 'not_four_eyes']);
    expect(await isPending(id)).toBe(true);
    expect(await account.funds()).toEqual(['3999.08', total]);

    // A different decision replaces the proposal, so the proposer of the first one may confirm it.
    const receipt = { receipt: 'R-1' };
    expect((await bob.as.resolve(id, 'completed', receipt)).status).toBe(202);
    expect((await ada.as.resolve(id, 'completed', receipt)).status).toBe(200);
    expect(await account.untilEnded(id)).toMatchObject({ status: 'completed', result: { receipt: 'R-1' } });
    expect(await account.funds()).toEqual(['3999.08', '0.00']);
    expect((await bob.as.resolve(id, 'completed', receipt)).status).toBe(200);
    expect(codeOf(await bob.as.resolve(id, 'failed'))).toEqual([409, 'idempotency_conflict']);
    expect(await isPending(id)).toBe(false);
  });

  it('are not needed to fail the review, which ends the proposal', async () => {
    await account.fund('5000.00');
    const { id } = await account.outcomeOf(service('2000.92'));
    expect((await ada.as.resolve(id, 'completed')).status).toBe(202);
    expect((await ada.as.resolve(id, 'failed')).status).toBe(200);
    expect(await isPending(id)).toBe(false);
    expect(codeOf(await bob.as.resolve(id, 'completed'))).toEqual([409, 'idempotency_conflict']);
    expect(await account.untilEnded(id)).toMatchObject({ status: 'failed' });
    expect(await account.funds()).toEqual(['5000.00', '0.00']);
  });
});

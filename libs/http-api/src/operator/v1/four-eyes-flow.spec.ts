import type { ApproveDecision } from '@florin/companies-domain';
import type { SettleBlocks } from '@florin/invoicing-domain';
import { deterministicId, type OperatorActor, randomId, serviceActor } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import { type FundingGateway, startFundingGateway, treasury } from '../../testing/funding-gateway';
import { operatorToken } from '../../testing/test-app';

let gateway: FundingGateway;

beforeAll(async () => {
  gateway = await startFundingGateway();
  bob = await newOperator(bootstrapPerson);
  ida = await newOperator(bootstrapPerson);
});
afterAll(() => gateway.close());

type Body = Record<string, unknown> & { readonly id: string };

/** Sends the requests of this spec, unless it says otherwise. */
let bob: Person;
let ida: Person;

async function send(method: 'GET' | 'POST', url: string, bearer: string, payload?: object, key?: string) {
  const headers = { authorization: `Bearer ${bearer}`, ...(key !== undefined && { 'idempotency-key': key }) };
  const response = await gateway.app.inject({ method, url, headers, payload });
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) as Body };
}

const operator = (method: 'GET' | 'POST', url: string, payload?: object, key?: string) =>
  send(method, `/operator/v1${url}`, bob.token, payload, key);

/** A person with an own token. */
interface Person extends OperatorActor {
  readonly token: string;
}

const bootstrapPerson = { kind: 'operator', id: 'bootstrap', token: operatorToken } as const satisfies Person;
const actor = ({ kind, id }: OperatorActor): OperatorActor => ({ kind, id });
const personOf = (id: string, token: string): Person => ({ kind: 'operator', id, token });

/** Sends a request about operators. */
async function administer(by: Person, path: string, payload?: object): Promise<Body> {
  const { status, body } = await send('POST', `/operator/v1/operators${path}`, by.token, payload);
  expect(status).toBeLessThan(300);
  return body;
}

async function newOperator(by: Person, role = 'finance', email = `${randomId()}@example.com`): Promise<Person> {
  const { id, token } = await administer(by, '', { name: 'Somebody', email, role });
  return personOf(id, String(token));
}

async function rotate(by: Person, { id }: Person): Promise<Person> {
  return personOf(id, String((await administer(by, `/${id}/rotate`))['token']));
}

/** A decision of an operator other than the one of the token, on its way from the gateway. */
async function approveAs(
  person: Person,
  data: Omit<ApproveDecision['data'], 'operator' | 'requestId'>,
  requestId: string = randomId(),
) {
  const command: ApproveDecision = { type: 'ApproveDecision', data: { ...data, operator: actor(person), requestId } };
  const headers = { correlationId: 'request', causationId: 'request', actor: actor(person) };
  const message = { context: 'companies', key: data.approvalId, id: requestId, command, headers };
  expect(await gateway.bus.request(message)).toMatchObject({ ok: true });
}

const listed = async (path: string): Promise<readonly Body[]> =>
  (await operator('GET', path)).body['data'] as readonly Body[];

let companyId: string;
let bearer: string;
beforeEach(() => {
  companyId = randomId();
  bearer = gateway.keys.add({
    ...{ companyId, environment: 'live', activations: ['direct_invoices'] },
    scopes: ['funding:write', 'balance:read'],
  });
});

const balance = async () => (await send('GET', '/api/v1/balance', bearer)).body['available'];
const credit = { environment: 'live', amount: '25', direction: 'credit', reason: 'Refund of a fee' };
const adjust = (body: object, key?: string) => operator('POST', `/companies/${companyId}/adjustments`, body, key);
const confirm = (id: string) => operator('POST', `/adjustments/${id}/confirm`);
const proposeAs = (person: Person, id: string, change: object = {}, requestId?: string) => {
  const terms = { ...credit, amount: '1000.00', ...change };
  const decision = { companyId, accountId: `${companyId}-live`, ...terms };
  const data = { approvalId: id, subject: { kind: 'adjustment', id }, decision, amount: terms.amount } as const;
  return approveAs(person, data, requestId);
};

describe('An adjustment below the four-eyes amount', () => {
  it('is executed at once, by one operator', async () => {
    const { status, body } = await adjust(credit);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...{ id: body.id, companyId, environment: 'live', amount: '25.00', direction: 'credit', status: 'completed' },
      ...{ reason: 'Refund of a fee', createdBy: actor(bob) },
      ...{ createdAt: expect.any(String), completedAt: expect.any(String) },
    });
    expect(await balance()).toBe('25.00');
    expect((await operator('GET', `/adjustments/${body.id}`)).body).toEqual(body);
    expect(await listed(`/companies/${companyId}/adjustments`)).toEqual([body]);
    expect(await confirm(body.id)).toMatchObject({ status: 200, body });
  });

  it('is an entry of the statement, as JSON and CSV', async () => {
    const { body } = await adjust(credit);
    await adjust({ ...credit, amount: '5.00', direction: 'debit', reason: 'Wrong refund' });
    const day = gateway.clock.now().toISOString().slice(0, 10);
    const url = `/api/v1/account-statements?from=${day}&to=${day}`;
    const statement = await send('GET', url, bearer);
    expect(statement.body).toMatchObject({ incoming: '25.00', outgoing: '5.00', closingBalance: '20.00' });
    expect(statement.body['data']).toMatchObject([
      { kind: 'adjustment', reference: body.id, description: 'Refund of a fee', amount: '25.00', balance: '25.00' },
      { kind: 'adjustment', description: 'Wrong refund', amount: '-5.00', availableDelta: '-5.00', balance: '20.00' },
    ]);
    const headers = { authorization: `Bearer ${bearer}`, accept: 'text/csv' };
    const csv = await gateway.app.inject({ method: 'GET', url, headers });
    expect(csv.body).toMatch(new RegExp(`${body.id},adjustment,Refund of a fee,25\\.00`));
  });

  it('never debits more than the available funds', async () => {
    await adjust(credit);
    const debit = { ...credit, direction: 'debit' };
    expect(await adjust({ ...debit, amount: '25.01' })).toMatchObject({
      ...{ status: 400, body: { code: 'insufficient_funds' } },
    });
    expect(await adjust(debit)).toMatchObject({ status: 201 });
    expect(await balance()).toBe('0.00');
    const large = await adjust({ ...debit, amount: '5000' });
    expect(large).toMatchObject({ status: 400, body: { code: 'insufficient_funds' } });
    expect((await listed(`/companies/${companyId}/adjustments`)).length).toBe(2);
  });

  it('returns the original response when the same Idempotency-Key is sent again', async () => {
    const first = await adjust(credit, 'one');
    const again = await adjust({ ...credit, amount: '25.00' }, 'one');
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
    expect(await adjust({ ...credit, amount: '26' }, 'one')).toMatchObject({
      ...{ status: 409, body: { code: 'idempotency_conflict' } },
    });
    expect(await balance()).toBe('25.00');
  });

  it('is executed once when the same Idempotency-Key is sent twice at the same time', async () => {
    const responses = await Promise.all([1, 2, 3].map(() => adjust(credit, 'twice')));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await balance()).toBe('25.00');
  });

  it('belongs to one environment: the same Idempotency-Key in the other one is another adjustment', async () => {
    const sandboxBearer = gateway.keys.add({ companyId, environment: 'sandbox', scopes: ['balance:read'] });
    const environments = ['sandbox', 'live'];
    const responses = await Promise.all(environments.map((environment) => adjust({ ...credit, environment }, 'both')));
    expect(responses.map(({ status, body }) => [status, body['environment']])).toEqual([
      [201, 'sandbox'],
      [201, 'live'],
    ]);
    expect(new Set((await listed(`/companies/${companyId}/adjustments`)).map(({ id }) => id)).size).toBe(2);
    for (const one of [bearer, sandboxBearer]) {
      expect((await send('GET', '/api/v1/balance', one)).body['available']).toBe('25.00');
    }
  });

  it.each([
    ['25', '26'],
    ['5', '1000'],
    ['1000', '5'],
    ['1000', '2000'],
  ])('with %s and %s at the same time and the same Idempotency-Key, is one of them', async (...amounts) => {
    const responses = await Promise.all(amounts.map((amount) => adjust({ ...credit, amount }, 'amounts')));
    const [accepted, ...others] = responses.filter(({ status }) => status < 300);
    expect(others).toEqual([]);
    const refused = responses.filter(({ status }) => status >= 300);
    expect(refused).toMatchObject([{ status: 409, body: { code: 'idempotency_conflict' } }]);
    expect(await listed(`/companies/${companyId}/adjustments`)).toEqual([accepted?.body]);
    const isProposed = accepted?.body['status'] === 'proposed';
    expect(await balance()).toBe(isProposed ? '0.00' : accepted?.body['amount']);
    if (isProposed) await operator('POST', `/approvals/${accepted.body.id}/withdraw`);
    expect(await listed('/approvals')).toEqual([]);
  });

  it('is executed once when a debit of all funds is sent twice at the same time', async () => {
    await adjust(credit);
    const debit = { ...credit, direction: 'debit' };
    const responses = await Promise.all([1, 2, 3, 4].map(() => adjust(debit, 'all-funds')));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await balance()).toBe('0.00');
  });

  it('is executed by a repeat after a crash between its registration and its execution', async () => {
    const target = `POST /operator/v1/companies/:id/adjustments ${JSON.stringify({ id: companyId })}`;
    const id = deterministicId(deterministicId('operator', bob.id, target, 'crash'), 'live');
    await proposeAs(bob, id, { amount: '25.00' }, id);
    expect(await listed('/approvals')).toMatchObject([{ id, status: 'proposed', amount: '25.00' }]);
    expect(await adjust({ ...credit, amount: '26' }, 'crash')).toMatchObject({ status: 409 });
    expect(await adjust(credit, 'crash')).toMatchObject({ status: 201, body: { id, status: 'completed' } });
    expect(await balance()).toBe('25.00');
    expect(await listed('/approvals')).toEqual([]);
  });

  it.each([
    [{ amount: '0' }, /^amount must be at least 0.01/],
    [{ amount: 25 }, /^amount must be a decimal string/],
    [{ direction: 'up' }, /^direction must be credit or debit/],
    [{ reason: ' ' }, /^reason must not be empty/],
    [{ environment: 'test' }, /^environment must be/],
    [{ extra: 1 }, /^Unknown field extra/],
  ])('is rejected with %j', async (change, message) => {
    const { status, body } = await adjust({ ...credit, ...change });
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
    expect(body['message']).toMatch(message);
  });

  it('needs an existing company', async () => {
    const unknown = await operator('POST', `/companies/${randomId()}/adjustments`, credit);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await operator('GET', `/companies/${randomId()}/adjustments`)).toMatchObject({ status: 404 });
    expect(await operator('GET', `/adjustments/${randomId()}`)).toMatchObject({ status: 404 });
    expect(await confirm(randomId())).toMatchObject({ status: 404 });
  });
});

describe('An adjustment from the four-eyes amount on', () => {
  const large = { ...credit, amount: '1000' };

  it('is only proposed, and its proposer cannot confirm it', async () => {
    const { status, body } = await adjust(large);
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'proposed', amount: '1000.00', proposedBy: actor(bob) });
    expect(body['proposal']).toMatchObject({ proposedBy: actor(bob), amount: '1000.00' });
    expect(await confirm(body.id)).toMatchObject({
      status: 409,
      body: { code: 'not_four_eyes', message: expect.stringMatching(/different operator must confirm/) as string },
    });
    expect(await balance()).toBe('0.00');
    expect(await listed(`/companies/${companyId}/adjustments`)).toEqual([body]);
    expect(await listed('/approvals')).toMatchObject([
      { id: body.id, subject: { kind: 'adjustment', id: body.id }, status: 'proposed', proposedBy: actor(bob) },
    ]);
    expect(await operator('POST', `/approvals/${body.id}/withdraw`)).toMatchObject({
      ...{ status: 200, body: { id: body.id, status: 'withdrawn' } },
    });
    const closed = { status: 409, body: { code: 'proposal_closed' } };
    expect(await confirm(body.id)).toMatchObject(closed);
    expect(await operator('POST', `/approvals/${body.id}/withdraw`)).toMatchObject(closed);
    expect(await listed('/approvals')).toEqual([]);
  });

  it('is executed once when a different operator confirms it, also repeatedly', async () => {
    const id = randomId();
    await proposeAs(ida, id);
    const responses = await Promise.all([confirm(id), confirm(id), confirm(id)]);
    for (const { status, body } of [...responses, await confirm(id)]) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ id, status: 'completed', proposedBy: actor(ida), confirmedBy: actor(bob) });
    }
    expect(await balance()).toBe('1000.00');
    expect(await listed('/approvals')).toEqual([]);
    const withdrawal = await operator('POST', `/approvals/${id}/withdraw`);
    expect(withdrawal).toMatchObject({ status: 409, body: { code: 'proposal_closed' } });
    expect(withdrawal.body['message']).toMatch(/was executed already: correct it with another adjustment/);
  });

  it('is executed by a repeat after a crash between the confirmation and the execution', async () => {
    const id = randomId();
    await proposeAs(bob, id);
    await proposeAs(ida, id);
    expect((await operator('GET', `/adjustments/${id}`)).body).toMatchObject({ status: 'confirmed' });
    expect(await listed('/approvals')).toMatchObject([{ id, status: 'confirmed' }]);
    expect(await confirm(id)).toMatchObject({ status: 200, body: { proposedBy: actor(bob), confirmedBy: actor(ida) } });
    expect(await balance()).toBe('1000.00');
  });

  it('can be withdrawn while it is confirmed and not executed', async () => {
    const id = randomId();
    await proposeAs(bob, id);
    await proposeAs(ida, id);
    expect(await operator('POST', `/approvals/${id}/withdraw`)).toMatchObject({
      ...{ status: 200, body: { status: 'withdrawn', confirmedBy: actor(ida), withdrawnBy: actor(bob) } },
    });
    expect(await confirm(id)).toMatchObject({ status: 409, body: { code: 'proposal_closed' } });
    expect(await balance()).toBe('0.00');
    expect(await listed('/approvals')).toEqual([]);
  });

  it('is withdrawn with the reason when the ledger refuses it', async () => {
    await adjust({ ...credit, amount: '999' });
    await adjust({ ...credit, amount: '999' });
    const ids = [randomId(), randomId()];
    for (const id of ids) await proposeAs(ida, id, { amount: '1500.00', direction: 'debit' });
    const responses = await Promise.all(ids.map(confirm));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await balance()).toBe('498.00');
    const refused = responses.find(({ status }) => status === 400)!;
    const id = ids[responses.indexOf(refused)]!;
    expect(refused.body).toMatchObject({ code: 'insufficient_funds' });
    const shown = (await operator('GET', `/adjustments/${id}`)).body;
    const reason = '1500.00 is to be debited and 498.00 is available: debit a smaller amount';
    // One request may be so late that it is refused before its confirmation.
    if (shown['status'] === 'proposed') {
      expect(refused.body['message']).toBe(`${reason}.`);
      return void (await operator('POST', `/approvals/${id}/withdraw`));
    }
    expect(refused.body['message']).toBe(`${reason}. The adjustment ${id} was withdrawn: request a new one.`);
    expect(shown).toMatchObject({ status: 'withdrawn', proposal: { confirmedBy: actor(bob), refusal: reason } });
    await adjust({ ...credit, amount: '999' });
    await adjust({ ...credit, amount: '999' });
    expect(await confirm(id)).toMatchObject({ status: 409, body: { code: 'proposal_closed' } });
    expect(await listed('/approvals')).toEqual([]);
  });

  it('is shown as completed when its execution had begun before it was withdrawn', async () => {
    const id = randomId();
    await proposeAs(ida, id);
    const [confirmed, withdrawal] = await Promise.all([
      confirm(id),
      until(async () => (await operator('GET', `/adjustments/${id}`)).body['status'] !== 'proposed').then(() =>
        operator('POST', `/approvals/${id}/withdraw`),
      ),
    ]);
    expect([200, 409]).toContain(withdrawal.status);
    const { body } = await operator('GET', `/adjustments/${id}`);
    expect(confirmed).toMatchObject({ status: 200, body });
    expect(body).toMatchObject({ status: 'completed' });
    expect(await balance()).toBe('1000.00');
    expect(await listed('/approvals')).toEqual([]);
  });

  it('returns the proposal again for the same Idempotency-Key', async () => {
    const first = await adjust(large, 'large');
    const again = await adjust(large, 'large');
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([202, 'true', first.body]);
    await operator('POST', `/approvals/${first.body.id}/withdraw`);
  });
});

describe('A confirmation', () => {
  const large = { ...credit, amount: '1000' };
  const proposeWith = async (person: Person): Promise<string> => {
    const url = `/operator/v1/companies/${companyId}/adjustments`;
    const { status, body } = await send('POST', url, person.token, large);
    expect(status).toBe(202);
    return body.id;
  };
  const confirmWith = (person: Person, id: string) =>
    send('POST', `/operator/v1/adjustments/${id}/confirm`, person.token);

  async function expectRefused(proposer: Person, confirmer: Person, message: RegExp): Promise<void> {
    const id = await proposeWith(proposer);
    await expectRefusedOf(id, confirmer, message);
  }

  async function expectRefusedOf(id: string, confirmer: Person, message: RegExp): Promise<void> {
    const { status, body } = await confirmWith(confirmer, id);
    expect([status, body['code']]).toEqual([409, 'not_four_eyes']);
    expect(body['message']).toMatch(message);
    expect(await balance()).toBe('0.00');
    await operator('POST', `/approvals/${id}/withdraw`);
  }

  it('is refused if an admin has created the other operator', async () => {
    const admin = await newOperator(bootstrapPerson, 'admin');
    const created = await newOperator(admin);
    await expectRefused(admin, created, /let a third operator decide/);
    await expectRefused(created, admin, /let a third operator decide/);
    await expectRefused(admin, await newOperator(await newOperator(admin, 'admin')), /let a third operator decide/);
  });

  it('is refused if the proposer has replaced the token or granted the role, until another admin does', async () => {
    const admin = await newOperator(bootstrapPerson, 'admin');
    const colleague = await newOperator(bootstrapPerson);
    const taken = await rotate(admin, colleague);
    await expectRefused(admin, taken, /let a third operator decide/);
    const own = await rotate(bootstrapPerson, colleague);
    await administer(admin, `/${own.id}/role`, { role: 'finance' });
    await expectRefused(admin, own, /let a third operator decide/);
    await administer(bootstrapPerson, `/${own.id}/role`, { role: 'finance' });
    expect(await confirmWith(own, await proposeWith(admin))).toMatchObject({ status: 200 });
  });

  it('is refused if the proposer has no access any more', async () => {
    const leaver = await newOperator(bootstrapPerson);
    const [one, other] = [await proposeWith(leaver), await proposeWith(leaver)];
    await administer(bootstrapPerson, `/${leaver.id}/role`, { role: 'viewer' });
    await expectRefusedOf(one, bob, /withdraw the proposal and propose it again/);
    await administer(bootstrapPerson, `/${leaver.id}/disable`);
    await expectRefusedOf(other, bob, /withdraw the proposal and propose it again/);
  });

  it('is refused to a person who returns with a new operator', async () => {
    const email = 'returns@example.com';
    const former = await newOperator(bootstrapPerson, 'finance', email);
    const id = await proposeWith(former);
    await administer(bootstrapPerson, `/${former.id}/disable`);
    await expectRefusedOf(id, await newOperator(bootstrapPerson, 'finance', email.toUpperCase()), /propose it again/);
  });

  it('takes two named operators, because the bootstrap operator has created all others', async () => {
    await expectRefused(bootstrapPerson, bob, /let two named operators with the role finance decide/);
    await expectRefused(ida, bootstrapPerson, /let two named operators with the role finance decide/);
    expect(await confirmWith(bob, await proposeWith(ida))).toMatchObject({ status: 200 });
  });
});

describe('A review from the four-eyes amount on', () => {
  let blocks = 0;

  async function arrive(amount: string, seconds = 0): Promise<void> {
    gateway.clock.advance(seconds * 1_000);
    const blockTime = gateway.clock.now().toISOString();
    const transfer = {
      ...{ transactionId: (++blocks).toString(16).padStart(64, '0'), logIndex: 0, from: 'TSender', to: treasury },
      ...{ amount, blockNumber: blocks, blockTime },
    };
    const command: SettleBlocks = { type: 'SettleBlocks', data: { transfers: [transfer], toBlockTime: blockTime } };
    const headers = { correlationId: 'chain', causationId: 'chain', actor: serviceActor('test') };
    await gateway.bus.request({ context: 'invoicing', key: 'chain', id: randomId(), command, headers });
  }

  const path = '/api/v1/card-account/invoices';
  const createInvoice = async (amount: string) => (await send('POST', path, bearer, { amount }, randomId())).body;

  /** An invoice that was paid late. */
  async function lateInvoice(amount: string): Promise<Body> {
    const invoice = await createInvoice(amount);
    await arrive(String(invoice['payAmount']), 3_600);
    await until(async () => (await listed('/reviews')).some(({ id }) => id === invoice.id));
    return (await listed('/reviews')).find(({ id }) => id === invoice.id)!;
  }

  const completed = { outcome: 'completed', note: 'It arrived' };
  const resolve = (id: string, decision: object) => operator('POST', `/reviews/${id}/resolve`, decision);
  const resolveAs = (person: Person, review: Body, decision: object) => {
    const since = String(review['since']);
    const subject = { kind: 'review', id: review.id, since } as const;
    const approvalId = deterministicId('review', review.id, since);
    return approveAs(person, { approvalId, subject, decision: { ...decision }, amount: '1000.00' });
  };

  it('is completed by a different operator who sends the same decision', async () => {
    const review = await lateInvoice('1000');
    await resolveAs(ida, review, completed);
    const proposal = { proposedBy: actor(ida), decision: completed };
    expect((await listed('/reviews'))[0]).toMatchObject({ id: review.id, proposal });
    expect(await listed('/approvals')).toMatchObject([{ subject: { kind: 'review', id: review.id }, ...proposal }]);
    const confirmed = {
      status: 200,
      body: { resolution: completed, proposal: { ...proposal, confirmedBy: actor(bob) } },
    };
    expect(await resolve(review.id, completed)).toMatchObject(confirmed);
    expect(await resolve(review.id, completed)).toMatchObject(confirmed);
    expect(await resolve(review.id, { ...completed, outcome: 'failed' })).toMatchObject({ status: 409 });
    expect(await balance()).toBe('985.00');
    expect(await listed('/approvals')).toEqual([]);
  });

  it('is only proposed by one operator, who can fail it alone', async () => {
    const review = await lateInvoice('1000');
    const { status, body } = await resolve(review.id, completed);
    expect(status).toBe(202);
    expect(body).toEqual({
      ...review,
      proposal: {
        ...{ proposedBy: actor(bob), proposedAt: expect.any(String), amount: '1000.00', decision: completed },
      },
    });
    expect(await resolve(review.id, completed)).toMatchObject({ status: 409, body: { code: 'not_four_eyes' } });
    const other = { ...completed, note: 'The bank confirmed it' };
    expect(await resolve(review.id, other)).toMatchObject({ status: 202, body: { proposal: { decision: other } } });
    expect(await resolve(review.id, { outcome: 'failed', note: 'Sent back' })).toMatchObject({
      ...{ status: 200, body: { status: 'failed' } },
    });
    expect(await listed('/approvals')).toEqual([]);
    expect(await resolve(review.id, completed)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await balance()).toBe('0.00');
  });

  it('is executed by a repeat after a crash between the confirmation and the execution', async () => {
    const review = await lateInvoice('1000');
    await resolveAs(bob, review, completed);
    await resolveAs(ida, review, completed);
    const responses = await Promise.all([1, 2].map(() => resolve(review.id, completed)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await balance()).toBe('985.00');
  });

  it('needs one operator below the amount', async () => {
    const review = await lateInvoice('999');
    expect(await resolve(review.id, completed)).toMatchObject({ status: 200, body: { resolution: completed } });
    expect(await listed('/approvals')).toEqual([]);
  });

  it('is about a deposit of any amount', async () => {
    const invoice = await createInvoice('100');
    const amount = '115792089237316195423570985008687907853269984665640564039457584007913129.639935';
    await arrive(amount);
    const [review] = (await listed('/reviews')).filter((each) => each['amount'] === amount) as [Body];
    const cents = '115792089237316195423570985008687907853269984665640564039457584007913129.63';
    const proposed = await resolve(review.id, { ...completed, invoiceId: invoice.id });
    expect(proposed).toMatchObject({ status: 202, body: { proposal: { amount: cents } } });
    expect(await resolve(review.id, { outcome: 'failed', note: 'Sent back' })).toMatchObject({ status: 200 });
  });

  it('compares the amount of the invoice that a small deposit pays', async () => {
    const invoice = await createInvoice('1000');
    await arrive('1.000000');
    const [review] = (await listed('/reviews')).filter(({ kind }) => kind === 'deposit') as [Body];
    const pays = { ...completed, invoiceId: invoice.id };
    expect(await resolve(review.id, pays)).toMatchObject({ status: 202, body: { proposal: { amount: '1000.00' } } });
    expect(await balance()).toBe('0.00');
    await resolveAs(ida, review, pays);
    expect(await resolve(review.id, pays)).toMatchObject({ status: 200, body: { resolution: pays } });
    expect(await balance()).toBe('985.00');
  });
});

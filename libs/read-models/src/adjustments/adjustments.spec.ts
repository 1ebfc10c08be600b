import { approvalAggregate, type ApprovalCommand } from '@florin/companies-domain';
import { commandLog } from '@florin/event-sourcing/testing';
import type { OperatorActor } from '@florin/kernel';
import { accountAggregate, type AccountCommand, accountIdOf } from '@florin/ledger-domain';
import { approvalsProjection } from '../approvals/approvals.projection';
import { ApprovalQueries } from '../approvals/approvals.queries';
import { operationsProjection } from '../operations/operations.projection';
import { abandon, orderOf, queue, resolve, start } from '../operations/testing/operation-commands';
import { operationsLog } from '../testing/operations-log';
import { acme, acmeLive, ida, idOf, type Owner } from '../testing/owners';
import { readToEnd } from '../testing/paging';
import {
  allRejectedAsStale,
  behind,
  readModelDatabase,
  type ReadModelDatabase,
  upToDate,
} from '../testing/read-model-database';
import { adjustmentsProjection } from './adjustments.projection';
import { AdjustmentQueries } from './adjustments.queries';

const eve: OperatorActor = { kind: 'operator', id: 'eve' };
const bob: OperatorActor = { kind: 'operator', id: 'bob' };
const adjustment = (number: number): string => idOf('adjustment', number);
const at = (second: number): string => `2030-01-01T10:00:0${second}.000Z`;

let database: ReadModelDatabase;
let queries: AdjustmentQueries;
let approvals: ApprovalQueries;

const log = commandLog();
const account = log.runner(accountAggregate, ({ data }) => data.accountId);
const approval = log.runner(approvalAggregate, ({ data }) => data.approvalId);

async function run(command: AccountCommand | ApprovalCommand): Promise<void> {
  log.clock.advance(1_000);
  const reply =
    'approvalId' in command.data ? approval(command as ApprovalCommand) : account(command as AccountCommand);
  expect(await reply).toMatchObject({ ok: true, repeated: false });
}

const terms = (owner: Owner) => ({
  ...{ ...owner, accountId: accountIdOf(owner.companyId, owner.environment) },
  ...{ direction: 'credit', amount: '1000.00', reason: 'Lost "deposit"' },
});
const approve = (number: number, operator: OperatorActor, owner: Owner = acme): ApprovalCommand => ({
  type: 'ApproveDecision',
  data: {
    ...{ approvalId: adjustment(number), subject: { kind: 'adjustment', id: adjustment(number) } },
    ...{ decision: terms(owner), amount: '1000.00', operator, requestId: `${number} ${operator.id}` },
    fourEyes: { objection: () => undefined },
  },
});
const adjust = (number: number, owner: Owner, requestedAt: string, confirmedBy?: OperatorActor): AccountCommand => ({
  type: 'AdjustAccount',
  data: {
    ...{ accountId: accountIdOf(owner.companyId, owner.environment), adjustmentId: adjustment(number) },
    ...{ direction: 'credit', amount: confirmedBy ? '1000.00' : '5.00', description: 'Lost "deposit"', requestedAt },
    ...{ proposedBy: eve, confirmedBy, fourEyesAmount: '1000.00', fingerprint: 'f' },
  },
});

const facts = { direction: 'credit', reason: 'Lost "deposit"' };
const small = {
  ...{ id: adjustment(1), ...acme, ...facts, amount: '5.00', status: 'completed', createdBy: eve },
  ...{ createdAt: at(1), completedAt: at(1) },
};
const executed = {
  ...{ id: adjustment(2), ...acmeLive, ...facts, amount: '1000.00', status: 'completed' },
  ...{ proposedBy: eve, confirmedBy: bob, createdAt: at(2), completedAt: at(4) },
};
const proposed = {
  ...{ id: adjustment(3), ...acme, ...facts, amount: '1000.00', status: 'proposed', proposedBy: eve, createdAt: at(5) },
};
const confirmed = {
  ...{ id: adjustment(4), ...acme, ...facts, amount: '1000.00', status: 'confirmed' },
  ...{ proposedBy: eve, confirmedBy: bob, createdAt: at(6) },
};
const withdrawn = { ...proposed, id: adjustment(5), status: 'withdrawn', createdAt: at(8) };

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new AdjustmentQueries(database.reads, upToDate);
  approvals = new ApprovalQueries(database.reads, upToDate);
  await run(adjust(1, acme, at(1)));
  await run(approve(2, eve, acmeLive));
  await run(approve(2, bob, acmeLive));
  await run(adjust(2, acmeLive, at(2), bob));
  await run(approve(3, eve));
  await run(approve(4, eve));
  await run(approve(4, bob));
  await run(approve(5, eve));
  await run({
    type: 'WithdrawProposal',
    data: { approvalId: adjustment(5), operator: eve, requestId: 'withdrawal', refusal: 'No funds' },
  });
  const events = await log.events();
  const ofApprovals = events.filter(({ stream }) => stream.startsWith('approval-'));
  await database.project(approvalsProjection, ofApprovals);
  await database.project(
    adjustmentsProjection,
    events.filter(({ type }) => type === 'AccountAdjusted'),
  );
});
afterAll(() => database.close());

describe('Adjustments', () => {
  it('are listed per company, newest first, with those that wait for an operator', async () => {
    expect(await queries.list(acme.companyId, {})).toStrictEqual([withdrawn, confirmed, proposed, executed, small]);
    expect(await queries.list(ida.companyId, {})).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5])('are returned in pages of %i without gaps or repeats', async (limit) => {
    const all = (await queries.list(acme.companyId, {})).map(({ id }) => id);
    const paged = await readToEnd(
      (page) => queries.list(acme.companyId, page),
      limit,
      ({ createdAt }) => createdAt,
    );
    expect(paged).toEqual(all);
  });

  it('are found by id', async () => {
    for (const view of [small, executed, proposed, confirmed, withdrawn]) {
      expect(await queries.find(view.id)).toStrictEqual(view);
    }
    for (const id of [adjustment(99), 'invalid']) expect(await queries.find(id)).toBeUndefined();
  });
});

describe('Pending approvals', () => {
  it('are those that are not executed and not withdrawn', async () => {
    expect((await approvals.listPending({})).map(({ id, status }) => [id, status])).toEqual([
      [adjustment(4), 'confirmed'],
      [adjustment(3), 'proposed'],
    ]);
    expect((await approvals.listPending({ limit: 1 })).map(({ id }) => id)).toEqual([adjustment(4)]);
    for (const [number, isPending] of [2, 3, 4, 5, 99].map((each) => [each, each === 3 || each === 4] as const)) {
      expect(await approvals.isPending(adjustment(number))).toBe(isPending);
    }
    expect(await approvals.find(adjustment(5))).toMatchObject({
      ...{ status: 'withdrawn', withdrawnBy: eve, withdrawnAt: at(9), refusal: 'No funds' },
    });
    expect(await approvals.find(adjustment(4))).toStrictEqual({
      ...{ id: adjustment(4), subject: { kind: 'adjustment', id: adjustment(4) }, status: 'confirmed' },
      ...{ amount: '1000.00', decision: terms(acme), proposedBy: eve, confirmedBy: bob },
      ...{ confirmedAt: at(7), createdAt: at(6) },
    });
  });

  it('end when their review is resolved, and do not apply to a later review', async () => {
    const [one, other] = [idOf('operation', 1), idOf('operation', 2)];
    const operations = operationsLog();
    for (const id of [one, other]) {
      for (const command of [queue(orderOf(id, acme)), start(id), abandon(id)]) await operations.operation(command);
    }
    await database.project(operationsProjection, await operations.events());
    const since = operations.clock.now().toISOString();
    const propose = (number: number, id: string, began: string): ApprovalCommand => ({
      type: 'ApproveDecision',
      data: {
        ...{ approvalId: idOf('approval', number), subject: { kind: 'review', id, since: began } },
        ...{ decision: { outcome: 'completed' }, amount: '1000.00', operator: eve, requestId: `review ${number}` },
      },
    });
    const reviews = commandLog();
    const send = reviews.runner(approvalAggregate, ({ data }) => data.approvalId);
    await send(propose(1, one, since));
    await send(propose(2, other, since));
    await send(propose(3, other, '2029-01-01T00:00:00.000Z'));
    await database.project(approvalsProjection, await reviews.events());
    const ids = async () => (await approvals.listPending({})).map(({ subject }) => subject.id);
    expect((await ids()).filter((id) => id === one || id === other).sort()).toEqual([one, other].sort());
    await operations.operation(resolve(one, 'failed'));
    await database.project(operationsProjection, await operations.events());
    expect((await ids()).filter((id) => id === one || id === other)).toEqual([other]);
  });
});

describe('The projections', () => {
  it.each([
    ['adjustments', adjustmentsProjection, 'account-'],
    ['approvals', approvalsProjection, 'approval-'],
  ] as const)('write the same %s in any batches and with repeats', async (table, projection, prefix) => {
    const events = (await log.events()).filter(({ stream }) => stream.startsWith(prefix));
    await database.empty(table);
    await database.project(projection, events);
    const before = await database.rows(table);
    expect(before.length).toBeGreaterThan(1);
    await database.empty(table);
    await database.project(projection, ...events.map((event) => [event, event]), events);
    expect(await database.rows(table)).toEqual(before);
  });

  it('replace a proposal and its confirmation by a different proposal', async () => {
    const reviews = commandLog();
    const send = reviews.runner(approvalAggregate, ({ data }) => data.approvalId);
    const propose = (operator: OperatorActor, note: string, requestId: string): ApprovalCommand => ({
      type: 'ApproveDecision',
      data: {
        ...{ approvalId: idOf('approval', 9), subject: { kind: 'review', id: idOf('operation', 9), since: at(1) } },
        ...{ decision: { note }, amount: '1000.00', operator, requestId, fourEyes: { objection: () => undefined } },
      },
    });
    await send(propose(eve, 'x', 'q1'));
    await send(propose(bob, 'x', 'q2'));
    await send(propose(bob, 'y', 'q3'));
    const events = await reviews.events();
    const expected = { status: 'proposed', decision: { note: 'y' }, proposedBy: bob };
    for (const batches of [[events], events.map((event) => [event])]) {
      await database.empty('approvals');
      await database.project(approvalsProjection, ...batches);
      const found = await approvals.find(idOf('approval', 9));
      expect(found).toMatchObject(expected);
      expect(found).not.toHaveProperty('confirmedBy');
    }
  });
});

describe('While the read models are behind', () => {
  it('every query is rejected', async () => {
    const stale = new AdjustmentQueries(database.reads, behind);
    const staleApprovals = new ApprovalQueries(database.reads, behind);
    await allRejectedAsStale([stale.list(acme.companyId, {}), stale.find(adjustment(1))]);
    await allRejectedAsStale([staleApprovals.listPending({}), staleApprovals.find(adjustment(1))]);
  });
});

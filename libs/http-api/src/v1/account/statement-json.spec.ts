import type { StatementView } from '@florin/read-models';
import { createHash } from 'node:crypto';
import { statementJson } from './statement-json';

const owner = { companyId: 'c0ffee00-0000-4000-8000-000000000001', environment: 'sandbox' };
const dates = { from: '2030-01-01', to: '2030-01-31' };
const view: StatementView = {
  revision: 7,
  openingBalance: 10_320n,
  closingBalance: 0n,
  incoming: 0n,
  outgoing: 10_320n,
  lines: [
    {
      amount: '-103.20',
      availableDelta: '0.00',
      balance: '0.00',
      createdAt: '2030-01-31T12:00:00.000Z',
      description: 'Card "issue" \u20ac\t1',
      heldDelta: '-103.20',
      id: 'e1',
      kind: 'capture',
      reference: 'op1',
    },
  ],
};

/** The documented form, written out: it is a contract with clients, who have stored hashes. */
const canonical =
  '{"account":"card_account","closingBalance":"0.00","company":{"id":"c0ffee00-0000-4000-8000-000000000001"},"currency":"USD",' +
  '"data":[{"amount":"-103.20","availableDelta":"0.00","balance":"0.00","createdAt":"2030-01-31T12:00:00.000Z",' +
  '"description":"Card \\"issue\\" \u20ac\\t1","heldDelta":"-103.20","id":"e1","kind":"capture","reference":"op1"}],' +
  '"environment":"sandbox","from":"2030-01-01","incoming":"0.00","openingBalance":"103.20","outgoing":"103.20","revision":7,' +
  '"to":"2030-01-31"}';

const hashOf = async (changed: Partial<StatementView>): Promise<string> =>
  (await statementJson(owner, dates, { ...view, ...changed })).hash;

describe('statementJson', () => {
  it('hashes the documented canonical form', async () => {
    expect(await hashOf({})).toBe(createHash('sha256').update(canonical, 'utf8').digest('hex'));
  });

  it.each<[string, Partial<StatementView>]>([
    ['the revision', { revision: 8 }],
    ['a balance', { openingBalance: 10_321n }],
    ['an entry', { lines: [{ ...view.lines[0]!, reference: 'op2' }] }],
    ['the number of entries', { lines: [] }],
  ])('has another hash if %s differs', async (_, changed) => {
    expect(await hashOf(changed)).not.toBe(await hashOf({}));
  });

  it('has another hash for another company, environment or period', async () => {
    const others = [
      statementJson({ ...owner, companyId: 'c0ffee00-0000-4000-8000-000000000002' }, dates, view),
      statementJson({ ...owner, environment: 'live' }, dates, view),
      statementJson(owner, { ...dates, to: '2030-02-01' }, view),
    ];
    const hashes = (await Promise.all(others)).map(({ hash }) => hash);
    expect(new Set([...hashes, await hashOf({})]).size).toBe(4);
  });
});

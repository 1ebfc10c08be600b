import { InMemoryEventStore } from '@florin/event-sourcing/testing';
import { serviceActor, systemClock } from '@florin/kernel';
import type { HolderVault, Order, RegisterHolder } from '@florin/operations-domain';
import { Cards, Holders } from './aggregates';
import { IssuerRequests } from './issuer-requests';

const accountId = 'acme-sandbox';
const order: Order = {
  operationId: 'op1',
  companyId: 'acme',
  environment: 'sandbox',
  accountId,
  type: 'issue',
  productId: 'virtual',
  amount: '50.00',
  fee: '3.10',
  total: '53.10',
  holderId: 'h1',
  cardId: 'c1',
  name: 'Travel',
  fingerprint: 'f1',
  createdAt: '2030-01-01T00:00:00.000Z',
};
const register: RegisterHolder = {
  type: 'RegisterHolder',
  data: {
    accountId,
    holderId: 'h1',
    companyId: 'acme',
    environment: 'sandbox',
    kind: 'individual',
    externalId: 'e1',
    status: 'active',
    sealed: 'sealed',
    requestId: 'r1',
    fingerprint: 'f2',
    createdAt: '2030-01-01T00:00:00.000Z',
  },
};

const headers = { correlationId: 'c', causationId: 'c', actor: serviceActor('test') };

async function setUp() {
  const store = new InMemoryEventStore();
  const holders = new Holders(store, systemClock);
  await holders.handle(accountId, register, { id: 'r1', headers });
  const unsealed: string[] = [];
  const unseal: HolderVault['unseal'] = async (holderId) => {
    unsealed.push(holderId);
    return { name: 'Ida', email: 'ida@example.com' };
  };
  const vault = { unseal } as HolderVault;
  return { requests: new IssuerRequests(new Cards(store, systemClock), holders, vault), unsealed };
}

describe('IssuerRequests', () => {
  it('includes the holder if the issuer needs it', async () => {
    const { requests } = await setUp();
    const holder = { holderId: 'h1', name: 'Ida', email: 'ida@example.com' };
    expect(await requests.prepare(order, { needsHolder: true }, headers)).toMatchObject({ request: { holder } });
  });

  it('neither reads nor includes personal data if the issuer does not need it', async () => {
    const { requests, unsealed } = await setUp();
    const prepared = await requests.prepare(order, { needsHolder: false }, headers);
    expect(prepared).toMatchObject({ request: { operationId: 'op1', cardId: 'c1', name: 'Travel' } });
    expect(JSON.stringify(prepared)).not.toMatch(/Ida|example\.com|holder/);
    expect(unsealed).toEqual([]);
  });
});

import { isPermitted } from './command-permissions';

const deposit = (sender: string, accountId: unknown) =>
  isPermitted({ sender, context: 'ledger', type: 'DepositFunds', data: { accountId } });

describe('Command permissions', () => {
  it('let only invoicing credit a live account', () => {
    expect(deposit('invoicing', 'c1-live')).toBe(true);
    for (const sender of ['gateway', 'operations', 'webhook-dispatcher', 'tron-watcher', 'stranger', 'constructor']) {
      expect(deposit(sender, 'c1-live')).toBe(false);
    }
  });

  it('let the gateway credit a sandbox account', () => {
    expect(deposit('gateway', 'c1-sandbox')).toBe(true);
    expect(deposit('gateway', undefined)).toBe(false);
    expect(isPermitted({ sender: 'gateway', context: 'ledger', type: 'DepositFunds', data: null })).toBe(false);
  });

  it.each([
    ['gateway', 'operations', 'RequestOperation'],
    ['gateway', 'operations', 'RequestOperations'],
    ['gateway', 'operations', 'QuoteOperation'],
    ['gateway', 'operations', 'RegisterHolder'],
    ['gateway', 'invoicing', 'RequestInvoice'],
    ['operations', 'operations', 'QueueOperation'],
    ['florin', 'operations', 'RequestOperation'],
  ])('let %s send %s %s only for the account of the company and the environment', (sender, context, type) => {
    const permits = (data: object) => isPermitted({ sender, context, type, data });
    const live = { companyId: 'c1', environment: 'live' };
    expect(permits({ ...live, accountId: 'c1-live' })).toBe(true);
    expect(permits({ order: { ...live, accountId: 'c1-live' } })).toBe(true);
    for (const accountId of ['c1-sandbox', 'c2-live', '', null, ['c1-live']]) {
      expect(permits({ ...live, accountId })).toBe(false);
      expect(permits({ order: { ...live, accountId } })).toBe(false);
    }
    expect(permits({ environment: 'live', accountId: 'c1-sandbox' })).toBe(false);
  });

  it('apply to every object of a list', () => {
    const permits = (...accounts: string[]) => {
      const reservations = accounts.map((accountId) => ({
        order: { companyId: 'c1', environment: 'live', accountId },
      }));
      const data = { accountId: 'c1-live', reservations };
      return isPermitted({ sender: 'operations', context: 'ledger', type: 'CreateReservations', data });
    };
    expect(permits('c1-live', 'c1-live')).toBe(true);
    expect(permits('c1-live', 'c1-sandbox')).toBe(false);
  });

  it('ignore the metadata of a client', () => {
    const metadata = { companyId: '7', environment: 'test', accountId: '4711' };
    const data = { companyId: 'c1', environment: 'live', accountId: 'c1-live', metadata };
    const request = { sender: 'gateway', context: 'operations', type: 'RequestOperation' };
    expect(isPermitted({ ...request, data })).toBe(true);
    const requests = [{ amount: '10.00', metadata }];
    expect(isPermitted({ ...request, type: 'RequestOperations', data: { ...data, requests } })).toBe(true);
  });

  it('let only the gateway send the decisions of operators', () => {
    const decisions = { ledger: ['AdjustAccount'], companies: ['ApproveDecision', 'WithdrawProposal'] };
    for (const [context, types] of Object.entries(decisions)) {
      for (const type of types) {
        expect(isPermitted({ sender: 'gateway', context, type, data: {} })).toBe(true);
        for (const sender of ['operations', 'invoicing', 'webhook-dispatcher', 'tron-watcher', 'ledger', 'stranger']) {
          expect(isPermitted({ sender, context, type, data: {} })).toBe(false);
        }
      }
    }
  });

  it('let the all-in-one process send what some service may send, and nothing else', () => {
    expect(deposit('florin', 'c1-live')).toBe(true);
    expect(isPermitted({ sender: 'florin', context: 'ledger', type: 'Unknown', data: {} })).toBe(false);
    expect(isPermitted({ sender: 'florin', context: 'operations', type: 'RecordIssuerResponse', data: {} })).toBe(
      false,
    );
  });
});

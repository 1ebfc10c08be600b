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

import { type RecordedEvent, UnreadableEvent } from '@florin/event-sourcing';
import { invoicesProcess } from './invoices.process';
import { settlementProcess } from './settlement.process';

const recorded = (type: string, data: object, schemaVersion = 1): RecordedEvent => {
  const metadata = JSON.stringify({ schemaVersion });
  return { id: 'e', type, stream: 'any-stream', revision: 0, position: 1n, data: JSON.stringify(data), metadata };
};

describe('invoicesProcess', () => {
  it('subscribes to the events of invoices and addresses that have consequences', () => {
    expect(invoicesProcess.categories).toEqual(['invoices', 'address']);
    expect(invoicesProcess.eventTypes).toContain('DepositMatched');
    expect(invoicesProcess.eventTypes).not.toContain('InvoiceCompleted');
  });

  it('advances a paid invoice', () => {
    const data = { accountId: 'a', invoiceId: 'i1' };
    expect(invoicesProcess.react(recorded('InvoicePaid', { ...data, depositId: 'd1' }))).toEqual([
      { context: 'invoicing', key: 'a', command: { type: 'AdvanceInvoice', data }, retriedElsewhere: true },
    ]);
  });

  it.each([
    [1, {}],
    [2, { fourEyesAmount: '1000.00', proposedBy: { kind: 'operator', id: 'ida' } }],
  ])('passes on the operators in version %i of a decision about a deposit', (version, decision) => {
    const facts = { accountId: 'a', invoiceId: 'i1', address: 'T', depositId: 'd1', note: 'Paid', requestId: 'q' };
    const event = recorded('DepositResolved', { ...facts, ...decision, outcome: 'completed' }, version);
    expect(invoicesProcess.react(event)).toMatchObject([
      { command: { type: 'AttributeDeposit', data: { ...facts, ...decision } }, keepsActor: true },
    ]);
    const resolved = recorded('InvoiceResolved', { ...facts, ...decision, outcome: 'completed' }, version);
    expect(invoicesProcess.react(resolved)).toMatchObject([{ command: { type: 'AdvanceInvoice' }, keepsActor: true }]);
  });
});

describe('settlementProcess', () => {
  const blockRange = {
    fromBlock: 1,
    parentId: 'p',
    toBlock: 2,
    toBlockId: 't',
    toBlockTime: '2030-01-01T00:00:00.000Z',
  };

  it('settles recorded blocks in order', () => {
    const { categories, eventTypes, inOrder } = settlementProcess;
    expect({ categories, eventTypes, inOrder }).toEqual({
      categories: ['chain'],
      eventTypes: ['BlocksRead'],
      inOrder: true,
    });
    const data = { transfers: [], toBlockTime: blockRange.toBlockTime };
    expect(settlementProcess.react(recorded('BlocksRead', { ...blockRange, transfers: [] }))).toEqual([
      { context: 'invoicing', key: 'chain', command: { type: 'SettleBlocks', data } },
    ]);
  });

  it('fails for a newer version of the event', () => {
    expect(() => settlementProcess.react(recorded('BlocksRead', blockRange, 2))).toThrow(UnreadableEvent);
  });
});

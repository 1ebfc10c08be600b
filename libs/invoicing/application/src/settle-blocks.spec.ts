import { type CommandReply, RevisionConflict } from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore, silentLog } from '@florin/event-sourcing/testing';
import type { SettleBlocks } from '@florin/invoicing-domain';
import { serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import type { TokenTransfer } from '@florin/tron-domain';
import { Addresses } from './aggregates';
import { SettleBlocksHandler } from './settle-blocks';

const context = {
  id: 'settlement',
  headers: { correlationId: 'chain', causationId: 'chain', actor: serviceActor('test') },
};
const address = 'TReasury1';
const expiresAt = '2030-01-15T13:00:00.000Z';
const clock = manualClock('2030-01-15T12:00:00.000Z');
const options = { addresses: [address, 'TReasury2'], lifetimeMs: 1, minimumAmount: '10.00', log: silentLog };

async function withClaim() {
  const store = new InMemoryEventStore();
  const addresses = new Addresses(store, new InMemorySnapshotStore(), clock);
  const times = { claimedAt: '2030-01-15T12:00:00.000Z', expiresAt, watchedUntil: '2030-01-22T13:00:00.000Z' };
  const claim = { address, invoiceId: 'i1', accountId: 'a', ...times, depositAmount: '100.00', draw: 0 };
  const reply = await addresses.handle(address, { type: 'ClaimPayAmount', data: claim }, context);
  const amount = reply.ok ? reply.answer.payAmount! : '';
  const settlements = new SettleBlocksHandler(addresses, options);
  const settle = (toBlockTime: string, ...transfers: TokenTransfer[]): Promise<CommandReply> => {
    const command: SettleBlocks = { type: 'SettleBlocks', data: { transfers, toBlockTime } };
    return settlements.execute(command, context);
  };
  const payment = (blockTime: string, parts: Partial<TokenTransfer> = {}): TokenTransfer => {
    const facts = { transactionId: 'tx', logIndex: 0, from: 'TSender', to: address, amount, blockNumber: 1 };
    return { ...facts, blockTime, ...parts };
  };
  const recorded = async (): Promise<readonly string[]> => {
    return (await store.readAll({ after: 0n })).events.slice(1).map(({ type, data }) => {
      const { late, reason } = JSON.parse(data) as { late?: boolean; reason?: string };
      return [type, late, reason].filter((part) => part !== undefined).join(' ');
    });
  };
  return { store, settle, payment, recorded };
}

describe('SettleBlocksHandler', () => {
  it('expires no invoice before its expiry', async () => {
    const { settle, recorded } = await withClaim();
    await settle('2030-01-15T12:59:59.999Z');
    expect(await recorded()).toEqual([]);
    await settle(expiresAt);
    expect(await recorded()).toEqual(['ClaimLost']);
  });

  it('records deposits before it expires invoices', async () => {
    const { settle, payment, recorded } = await withClaim();
    await settle('2030-01-15T14:00:00.000Z', payment('2030-01-15T12:59:57.000Z'));
    expect(await recorded()).toEqual(['DepositMatched false']);
  });

  it('records deposits in the order of the chain', async () => {
    const { settle, payment, recorded } = await withClaim();
    const first = payment('2030-01-15T12:59:57.000Z');
    const second = payment('2030-01-15T13:00:00.000Z', { logIndex: 1 });
    await settle('2030-01-15T14:00:00.000Z', first, second);
    expect(await recorded()).toEqual(['DepositMatched false', 'DepositUnmatched paid_already']);
  });

  it('is idempotent, also for older blocks', async () => {
    const { settle, payment, recorded } = await withClaim();
    const paid = payment('2030-01-15T12:30:00.000Z');
    await settle('2030-01-15T12:30:00.000Z', paid);
    await settle('2030-01-15T14:00:00.000Z');
    await settle('2030-01-15T12:30:00.000Z', paid);
    expect(await recorded()).toEqual(['DepositMatched false']);
  });

  it('expires no invoice when a deposit could not be recorded', async () => {
    const { store, settle, payment, recorded } = await withClaim();
    const { append } = store;
    store.append = () => Promise.reject(new RevisionConflict(`address-${address}`, 0));
    await expect(settle('2030-01-15T14:00:00.000Z', payment('2030-01-15T12:30:00.000Z'))).rejects.toThrow(/revision/);
    store.append = append;
    expect(await recorded()).toEqual([]);
    await settle('2030-01-15T14:00:00.000Z', payment('2030-01-15T12:30:00.000Z'));
    expect(await recorded()).toEqual(['DepositMatched false']);
  });

  it('records deposits at addresses that are no longer configured', async () => {
    const { settle, payment, recorded } = await withClaim();
    await settle('2030-01-15T12:30:00.000Z', payment('2030-01-15T12:30:00.000Z', { to: 'TFormer' }));
    expect(await recorded()).toEqual(['DepositUnmatched amount_unknown']);
  });

  it('expires a claim that another replica stored', async () => {
    const { store, settle, recorded } = await withClaim();
    await settle('2030-01-15T12:30:00.000Z');
    const claimedElsewhere = new Addresses(store, new InMemorySnapshotStore(), clock);
    const times = { claimedAt: '2030-01-15T12:31:00.000Z', expiresAt, watchedUntil: '2030-01-22T13:00:00.000Z' };
    const claim = { address, invoiceId: 'i2', accountId: 'b', ...times, depositAmount: '100.00', draw: 0 };
    await claimedElsewhere.handle(address, { type: 'ClaimPayAmount', data: claim }, context);
    await settle(expiresAt);
    expect(await recorded()).toEqual(['PayAmountClaimed', 'ClaimLost', 'ClaimLost']);
  });
});

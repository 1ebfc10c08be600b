import type { TokenTransfer } from '@florin/tron-domain';
import { depositOf, settlementOf } from './settlement.process';

const transfer: TokenTransfer = {
  transactionId: 'ab'.repeat(32),
  logIndex: 2,
  from: 'TSender',
  to: 'TReasury1',
  amount: '100.003127',
  blockNumber: 7,
  blockTime: '2030-01-01T12:30:00.000Z',
};

it('derives the deposit id from the transaction and the log index', () => {
  const { to: address, ...facts } = transfer;
  const { data, type } = depositOf(transfer);
  expect({ type, data }).toEqual({
    type: 'RecordDeposit',
    data: { address, deposit: { depositId: data.deposit.depositId, ...facts } },
  });
  const { depositId } = data.deposit;
  expect(depositOf({ ...transfer, blockTime: '2030-01-01T12:30:03.000Z' }).data.deposit.depositId).toBe(depositId);
  expect(depositOf({ ...transfer, logIndex: 3 }).data.deposit.depositId).not.toBe(depositId);
  expect(depositOf({ ...transfer, transactionId: 'cd'.repeat(32) }).data.deposit.depositId).not.toBe(depositId);
});

it('settles a whole block range', () => {
  const toBlockTime = '2030-01-01T12:30:03.000Z';
  const blockRange = { fromBlock: 7, parentId: 'p', toBlock: 8, toBlockId: 't', toBlockTime, transfers: [transfer] };
  expect(settlementOf({ type: 'BlocksRead', data: blockRange })).toEqual({
    type: 'SettleBlocks',
    data: { transfers: [transfer], toBlockTime },
  });
});

import type { CommandMessage } from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import type { AddressCommand, Deposit } from '@florin/invoicing-domain';
import { randomId, serviceActor } from '@florin/kernel';
import { decidedByOne, manualClock } from '@florin/kernel/testing';
import { AddressController } from './address.controller';
import { Addresses, noCacheMs } from './aggregates';
import type { ResolveDepositHandler } from './resolve-deposit';
import type { SettleBlocksHandler } from './settle-blocks';

const address = 'TReasury';
const now = '2030-01-15T12:00:00.000Z';
const invoice = { invoiceId: 'i1', accountId: 'a1' };
const deposit: Deposit = {
  ...{ depositId: 'd1', transactionId: 't1', logIndex: 0, from: 'TSender', amount: '10.000001' },
  ...{ blockNumber: 1, blockTime: now },
};
const resolution = { address, depositId: 'd1', ...invoice, note: 'Checked', requestId: 'r1' };

function messageOf(command: AddressCommand): CommandMessage<AddressCommand> {
  return {
    context: 'invoicing',
    key: address,
    id: randomId(),
    command,
    headers: { correlationId: 'c', causationId: 'c', actor: serviceActor('test') },
  };
}

describe('Two replicas with the same address', () => {
  const store = new InMemoryEventStore();
  const replica = () => new Addresses(store, new InMemorySnapshotStore(), manualClock(now));
  const execute = (addresses: Addresses, command: AddressCommand) =>
    addresses.handle(address, command, messageOf(command));

  it('return a deposit that the other one has resolved, although their own state is older', async () => {
    const [one, other] = [replica(), replica()];
    const claim = {
      address,
      ...invoice,
      depositAmount: '10.00',
      // Another amount than that of the deposit, which is therefore reviewed.
      draw: 1,
      claimedAt: now,
      expiresAt: now,
      watchedUntil: '2030-01-22',
    };
    await execute(one, { type: 'ClaimPayAmount', data: claim });
    await execute(one, { type: 'RecordDeposit', data: { address, deposit } });
    await other.read(address, noCacheMs, () => undefined);
    await execute(one, { type: 'ResolveDeposit', data: { ...resolution, ...decidedByOne, outcome: 'completed', now } });

    const controller = new AddressController(other, {} as SettleBlocksHandler, {} as ResolveDepositHandler);
    const { invoiceId, requestId } = resolution;
    await controller.handle(
      messageOf({ type: 'ReturnDeposit', data: { address, depositId: 'd1', invoiceId, requestId } }),
    );

    const { events } = await store.readAll({ after: 0n, pageSize: 100 });
    expect(events.at(-1)).toMatchObject({ type: 'DepositUnmatched' });
    expect(JSON.parse(events.at(-1)!.data)).toMatchObject({ reason: 'invoice_closed', forReview: true });
  });
});

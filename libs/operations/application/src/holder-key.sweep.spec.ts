import { InMemoryEventStore, silentLog } from '@florin/event-sourcing/testing';
import { serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import type { RegisterHolder, UnconfirmedHolderKeys } from '@florin/operations-domain';
import { Holders } from './aggregates';
import { HolderKeySweep } from './holder-key.sweep';

const clock = manualClock('2030-01-02T00:00:00.000Z');
const account = { accountId: 'account', companyId: 'company', environment: 'sandbox' } as const;

async function registered(holders: Holders, holderId: string): Promise<void> {
  const facts = { kind: 'individual', externalId: holderId, status: 'active', sealed: 'sealed' } as const;
  const request = { requestId: holderId, fingerprint: 'f', createdAt: '2030-01-01T00:00:00.000Z' };
  const command: RegisterHolder = { type: 'RegisterHolder', data: { ...account, holderId, ...facts, ...request } };
  const headers = { correlationId: 'c', causationId: 'c', actor: serviceActor('test') };
  expect(await holders.handle(account.accountId, command, { id: holderId, headers })).toMatchObject({ ok: true });
}

describe('HolderKeySweep', () => {
  it('confirms the keys of registered holders and deletes all others after a day', async () => {
    const store = new InMemoryEventStore();
    const holders = new Holders(store, clock);
    await registered(holders, 'registered');
    const settled: unknown[] = [];
    const { accountId } = account;
    const keys: UnconfirmedHolderKeys = {
      unconfirmed: async (before, limit) => {
        settled.push(['unconfirmed', before.toISOString(), limit]);
        return ['registered', 'refused'].map((holderId) => ({ holderId, accountId }));
      },
      confirm: async (holderId) => void settled.push(['confirmed', holderId]),
      deleteUnconfirmed: async (holderId, before) => void settled.push(['deleted', holderId, before.toISOString()]),
    };
    const options = { issuerTimeoutMs: 1, issuerConcurrency: 1, minimums: { issue: '1.00', topup: '1.00' } };
    await new HolderKeySweep(keys, new Holders(store, clock), clock, { ...options, log: silentLog }).tick();
    const dayAgo = '2030-01-01T00:00:00.000Z';
    expect(settled).toEqual([
      ['unconfirmed', dayAgo, 100],
      ['confirmed', 'registered'],
      ['deleted', 'refused', dayAgo],
    ]);
  });
});

import type { RecordedEvent } from '@florin/event-sourcing';
import { commandLog } from '@florin/event-sourcing/testing';
import { holderAggregate, type RegisterHolder } from '@florin/operations-domain';
import { HolderErasures } from './holder-erasures';

const accountId = 'acme-live';
const requestedAt = '2030-01-01T00:00:00.000Z';
const registered = (holderId: string): RegisterHolder => ({
  type: 'RegisterHolder',
  data: {
    ...{ accountId, holderId, companyId: 'acme', environment: 'live', kind: 'individual', externalId: holderId },
    ...{ status: 'active', sealed: `sealed ${holderId}`, sealedMetadata: `metadata ${holderId}` },
    ...{ requestId: `register ${holderId}`, fingerprint: 'f', createdAt: requestedAt },
  },
});

/** The events of two holders. The first one has a new name and is erased, twice. */
async function holdersLog(): Promise<RecordedEvent[]> {
  const { runner, events } = commandLog();
  const run = runner(holderAggregate, ({ data }) => data.accountId);
  await run(registered('ida'));
  await run(registered('ada'));
  const change = { requestId: 'change', requestedAt, sealedName: 'new name' };
  await run({ type: 'ChangeHolder', data: { accountId, holderId: 'ida', ...change } });
  for (let time = 1; time <= 2; time++) await run({ type: 'EraseHolder', data: { accountId, holderId: 'ida' } });
  return [...(await events())];
}

function erasuresIn(events: readonly RecordedEvent[], readable: readonly string[] = []): HolderErasures {
  const store = {
    async *readStream(stream: string) {
      // In two pages.
      const own = events.filter((event) => event.stream === stream);
      yield own.slice(0, 2);
      yield own.slice(2);
    },
  };
  const unseal = async (_: string, sealed: string) => (readable.includes(sealed) ? { name: 'Ida' } : undefined);
  return new HolderErasures(store, { unseal });
}

describe('A certificate of erasure', () => {
  it('says what was destroyed, when and by whom', async () => {
    const events = await holdersLog();
    const { id, position, revision } = events.find(({ type }) => type === 'HolderErased')!;
    expect(await erasuresIn(events).certificate(accountId, 'ida')).toEqual({
      ...{ erasedAt: '2030-01-01T10:00:00.000Z', erasedBy: { kind: 'service', id: 'test' } },
      ...{ sealedTexts: 3, readableTexts: 0, hashChain: { events: 4, isValid: true } },
      event: {
        ...{ id, stream: 'holders-acme-live', revision, position: String(position) },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    });
  });

  it('does not exist for a holder who is not erased', async () => {
    expect(await erasuresIn(await holdersLog()).certificate(accountId, 'ada')).toBeUndefined();
  });

  it('shows texts that can still be read, for example because an old key was restored', async () => {
    const certificate = await erasuresIn(await holdersLog(), ['sealed ida', 'sealed ada']).certificate(
      accountId,
      'ida',
    );
    expect(certificate).toMatchObject({ sealedTexts: 3, readableTexts: 1 });
  });

  it('shows that an event was changed', async () => {
    const [first, ...others] = await holdersLog();
    const changed = { ...first!, data: first!.data.replace('sealed ida', 'sealed no one') };
    const certificate = await erasuresIn([changed, ...others]).certificate(accountId, 'ida');
    expect(certificate).toMatchObject({ hashChain: { events: 4, isValid: false } });
  });
});

import { noBackoff } from './testing/no-backoff';
import { catchUp } from './catch-up';
import type { RecordedEvent } from './ports/event-store.port';
import { Progress } from './progress';
import type { Projection } from './run-projection';
import { InMemoryCheckpointStore, type InMemoryTransaction } from './testing/in-memory-checkpoint-store';
import { InMemoryEventStore } from './testing/in-memory-event-store';

/** A read model of event ids that commits with its checkpoint. */
class Ids implements Projection<InMemoryTransaction> {
  readonly name = 'ids';
  readonly categories = ['tally'];
  rows: string[] = [];
  poison: string | undefined;

  async project(events: readonly RecordedEvent[], tx: InMemoryTransaction): Promise<void> {
    if (events.some(({ id }) => id === this.poison)) throw new Error('a poison event');
    tx.onCommit(() => this.rows.push(...events.map(({ id }) => id)));
  }
}

async function setUp() {
  const store = new InMemoryEventStore();
  const checkpoints = new InMemoryCheckpointStore();
  const nothing = (): void => undefined;
  const log = { info: nothing, warn: nothing, error: nothing };
  const speed = { backoff: noBackoff, balanceEveryMs: 5, pageSize: 1 };
  const runtime = { store, checkpoints, progress: new Progress(), log, isTransient: () => false, ...speed };
  const append = async (stream: string, id: string): Promise<void> =>
    store.append(stream, -1, [{ id, type: 'Incremented', data: '{}', metadata: '{}' }]);
  for (const id of ['1', '2', '3']) await append(`tally-${id}`, id);
  await append('other-a', 'x');
  return { store, checkpoints, runtime, append, ids: new Ids() };
}

describe('Catching up', () => {
  it('ends at the head and leaves the subscription to other members', async () => {
    const { checkpoints, runtime, ids } = await setUp();
    expect(await catchUp(ids, runtime, 4n)).toBe(3);
    expect(ids.rows).toEqual(['1', '2', '3']);
    expect(await checkpoints.position('ids')).toBe(4n);
    const other = await checkpoints.another().join('ids', 1);
    expect(await other.balance(async () => undefined)).toHaveLength(1);
  });

  it('reports the event that stopped it', async () => {
    const { runtime, ids } = await setUp();
    ids.poison = '2';
    await expect(catchUp(ids, runtime, 4n)).rejects.toThrow(
      /ids stopped at Incremented \(tally-2@0, .*: a poison event/,
    );
  });

  it('stops when its signal aborts', async () => {
    const { runtime, ids } = await setUp();
    const late = AbortSignal.abort(new Error('too late'));
    await expect(catchUp(ids, runtime, 5n, { signal: late })).rejects.toThrow('too late');
  });

  it('adds no listeners to a signal that many projections share', async () => {
    const { runtime } = await setUp();
    const { signal } = new AbortController();
    const listeners = jest.spyOn(signal, 'addEventListener');
    const all = Array.from({ length: 12 }, (_, index) => Object.assign(new Ids(), { name: `ids-${index}` }));
    await Promise.all(all.map((projection) => catchUp(projection, runtime, 4n, { signal })));
    expect(all.map(({ rows }) => rows.length)).toEqual(all.map(() => 3));
    expect(listeners).not.toHaveBeenCalled();
  });
});

import { ReadYourWrites, StaleReadModel } from './read-your-writes';
import { Progress } from './progress';

const never = new AbortController().signal;

describe('Progress', () => {
  it('has reached a position when every shard has passed it', () => {
    const progress = new Progress();
    progress.report('view', 0, 2, 5n);
    expect(progress.hasReached('view', 1n)).toBe(false);
    progress.report('view', 1, 2, 3n);
    expect([progress.hasReached('view', 3n), progress.hasReached('view', 4n)]).toEqual([true, false]);
    progress.report('view', 1, 2, 1n);
    expect(progress.hasReached('view', 3n)).toBe(true);
  });

  it('reports the position of each shard until the shard moves to another process', () => {
    const progress = new Progress();
    progress.report('view', 0, 2, 5n);
    progress.report('view', 1, 2, 3n);
    progress.reportSetAside('view', 0, 1);
    progress.reportSetAside('view', 1, 2);
    progress.forget('view', 0);
    progress.forget('another', 0);
    expect(progress.known()).toEqual([{ subscription: 'view', shard: 1, position: 3n, setAside: 2 }]);
    expect(progress.hasReached('view', 3n)).toBe(false);
  });

  it('wakes the waiters of a subscription on its progress', async () => {
    const progress = new Progress();
    let isAwake = false;
    const other = progress.waitForProgress('another', 60_000).then(() => (isAwake = true));
    const moved = [progress.waitForProgress('view', 60_000), progress.waitForProgress('view', 60_000)];
    progress.report('view', 0, 1, 1n);
    await Promise.all(moved);
    expect(isAwake).toBe(false);
    progress.report('another', 0, 1, 1n);
    await other;
  });

  it('does not linger while a reader waits, and stops when one starts to wait', async () => {
    const progress = new Progress();
    const waiting = progress.waitForProgress('view', 60_000);
    await progress.linger('view', 60_000, never);
    progress.report('view', 0, 1, 1n);
    await waiting;

    const lingering = progress.linger('view', 60_000, never);
    const next = progress.waitForProgress('view', 60_000);
    await lingering;
    progress.report('view', 0, 1, 2n);
    await next;
  });

  it('stops lingering when the signal aborts', async () => {
    const controller = new AbortController();
    const lingering = new Progress().linger('view', 60_000, controller.signal);
    controller.abort();
    await lingering;
  });

  it('lets other subscriptions linger while a reader waits', async () => {
    const controller = new AbortController();
    const progress = new Progress();
    const lingering = progress.linger('another', 60_000, controller.signal);
    let isLingering = true;
    const ended = lingering.then(() => (isLingering = false));
    const waiting = progress.waitForProgress('view', 60_000);
    progress.report('view', 0, 1, 1n);
    await waiting;
    expect(isLingering).toBe(true);
    controller.abort();
    await ended;
  });

  it('notifies other threads once of readers that wait for the same progress', async () => {
    const progress = new Progress();
    const notified: string[] = [];
    progress.onAwaited = (subscription) => notified.push(subscription);
    const waiting = ['view', 'view', 'another'].map((name) => progress.waitForProgress(name, 60_000));
    expect(notified).toEqual(['view', 'another']);
    progress.report('view', 0, 1, 1n);
    const next = progress.waitForProgress('view', 60_000);
    expect(notified).toEqual(['view', 'another', 'view']);
    progress.report('view', 0, 1, 2n);
    progress.report('another', 0, 1, 1n);
    await Promise.all([...waiting, next]);
  });

  it('notifies other threads again while readers keep waiting', async () => {
    const progress = new Progress();
    let notified = 0;
    progress.onAwaited = () => void (notified += 1);
    const first = progress.waitForProgress('view', 60_000);
    while (notified < 3) await progress.waitForProgress('view', 1);
    progress.report('view', 0, 1, 1n);
    await first;
  });
});

describe('ReadYourWrites', () => {
  const store = { head: async () => 7n };

  it('does not query the database when this process knows the position', async () => {
    const progress = new Progress();
    progress.report('view', 0, 1, 7n);
    const checkpoints = { position: () => Promise.reject(new Error('must not be called')) };
    await new ReadYourWrites({ store, checkpoints, progress }).waitUntilCaughtUp('view');
  });

  it('does not query the database while it waits if this process knows the position', async () => {
    const progress = new Progress();
    progress.report('view', 0, 1, 6n);
    const checkpoints = { position: () => Promise.reject(new Error('must not be called')) };
    const waiting = new ReadYourWrites({ store, checkpoints, progress }).waitUntilCaughtUp('view');
    await new Promise(setImmediate);
    progress.report('view', 0, 1, 7n);
    await waiting;
  });

  it('queries the database after a shard has moved to another process', async () => {
    const progress = new Progress();
    progress.report('view', 0, 1, 6n);
    const checkpoints = { position: async () => 7n };
    const waiting = new ReadYourWrites({ store, checkpoints, progress }).waitUntilCaughtUp('view');
    await new Promise(setImmediate);
    progress.forget('view', 0);
    await waiting;
  });

  it('queries the database once for readers that wait at the same time', async () => {
    let queries = 0;
    const respond = { with: (_position: bigint): void => undefined };
    const position = (): Promise<bigint> => {
      queries += 1;
      return new Promise((resolve) => (respond.with = resolve));
    };
    const readYourWrites = new ReadYourWrites({ store, checkpoints: { position }, progress: new Progress() });
    const waiting = Array.from({ length: 50 }, () => readYourWrites.waitUntilCaughtUp('view'));
    await new Promise(setImmediate);
    expect(queries).toBe(1);
    respond.with(7n);
    await Promise.all(waiting);
    expect(queries).toBe(1);
  });

  it('waits for a projection that runs in another process', async () => {
    let position = 5n;
    const checkpoints = { position: async () => position++ };
    await new ReadYourWrites({ store, checkpoints, progress: new Progress() }).waitUntilCaughtUp('view');
    expect(position).toBe(8n);
  });

  it('fails instead of hiding an acknowledged write', async () => {
    const checkpoints = { position: async () => 6n };
    const readYourWrites = new ReadYourWrites({ store, checkpoints, progress: new Progress(), timeoutMs: 20 });
    await expect(readYourWrites.waitUntilCaughtUp('view')).rejects.toBeInstanceOf(StaleReadModel);
  });

  it.each([
    ['store', { head: () => new Promise<bigint>(() => undefined) }, { position: async () => 7n }],
    ['database', store, { position: () => new Promise<bigint>(() => undefined) }],
  ])('fails in time while the %s does not respond', async (_name, silentStore, checkpoints) => {
    const options = { store: silentStore, checkpoints, progress: new Progress(), timeoutMs: 20 };
    const readYourWrites = new ReadYourWrites(options);
    await expect(readYourWrites.waitUntilCaughtUp('view')).rejects.toBeInstanceOf(StaleReadModel);
  });

  it('reads the head only as often as the maximum age requires', async () => {
    const progress = new Progress();
    progress.report('view', 0, 1, 7n);
    let head = 7n;
    const growing = { head: async () => head++ };
    const checkpoints = { position: async () => 0n };
    const readYourWrites = new ReadYourWrites({ store: growing, checkpoints, progress, timeoutMs: 20 });
    await readYourWrites.waitUntilCaughtUp('view', 60_000);
    await readYourWrites.waitUntilCaughtUp('view', 60_000);
    expect(head).toBe(8n);
    await expect(readYourWrites.waitUntilCaughtUp('view')).rejects.toBeInstanceOf(StaleReadModel);
  });
});

import { Health } from './health';

describe('Health', () => {
  it('is ready when every dependency is', async () => {
    const health = new Health();
    health.register('database', async () => true);
    await expect(health.readiness()).resolves.toEqual({ ready: true, checks: { database: { ok: true } } });
  });

  it('gives a reason per dependency', async () => {
    const health = new Health();
    health.register('database', () => Promise.reject(new Error('connection refused')));
    health.register('projection', async () => 'stopped at X');
    await expect(health.readiness()).resolves.toEqual({
      ready: false,
      checks: {
        database: { ok: false, reason: 'connection refused' },
        projection: { ok: false, reason: 'stopped at X' },
      },
    });
  });

  it('shows a dependency that is not required, and is ready without it', async () => {
    const health = new Health();
    health.register('command bus', async () => 'no contact', { isRequired: false });
    await expect(health.readiness()).resolves.toEqual({
      ready: true,
      checks: { 'command bus': { ok: false, required: false, reason: 'no contact' } },
    });
  });

  it('is not ready while a dependency is silent, and ready again when it responds', async () => {
    const health = new Health();
    let respond = (): void => undefined;
    health.register('event store', () => new Promise((resolve) => (respond = () => resolve(true))));
    await expect(health.readiness()).resolves.toEqual({
      ready: false,
      checks: { 'event store': { ok: false, reason: 'no reply within 2000 ms' } },
    });
    respond();
    await expect(health.readiness()).resolves.toMatchObject({ ready: true });
  });

  it('runs a check once for all probes of a second, and never twice at the same time', async () => {
    const health = new Health();
    let runs = 0;
    health.register('database', async () => {
      runs += 1;
      return true;
    });
    await Promise.all(Array.from({ length: 10 }, () => health.readiness()));
    await health.readiness();
    expect(runs).toBe(1);
  });

  it('is not ready during a shutdown', async () => {
    const health = new Health();
    health.drain();
    await expect(health.readiness()).resolves.toMatchObject({ ready: false });
  });
});

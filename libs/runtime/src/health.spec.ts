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

  it('is not ready during a shutdown', async () => {
    const health = new Health();
    health.drain();
    await expect(health.readiness()).resolves.toMatchObject({ ready: false });
  });
});

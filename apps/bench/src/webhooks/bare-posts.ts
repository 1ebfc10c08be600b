import { performance } from 'node:perf_hooks';
import { Pool } from 'undici';

const headers = {
  'Content-Type': 'application/json',
  'User-Agent': 'Florin-Webhooks/1',
  'Webhook-Id': `evt_${'0'.repeat(32)}`,
  'Service-Signature': `t=1900000000,v1=${'0'.repeat(64)}`,
};

/** Posts the bodies with the given concurrency and reads the responses. Returns posts per second. */
export async function barePosts(url: string, bodies: readonly string[], concurrency: number): Promise<number> {
  const pool = new Pool(url, { pipelining: 1 });
  const begin = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
        const response = await pool.request({ path: '/ok', method: 'POST', headers, body });
        await response.body.dump();
      }
    }),
  );
  const perSecond = bodies.length / ((performance.now() - begin) / 1_000);
  await pool.close();
  return perSecond;
}

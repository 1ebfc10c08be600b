import { freePort, ManagedProcess } from '@florin/dev-platform';
import { join } from 'node:path';
import { ApiClient } from './harness/client';
import { newDataDirectory, programOf, root } from './harness/florin-process';
import { composition } from './harness/running-florin';
import { until } from './harness/until';

const programs = { 'all-in-one': 'apps/all-in-one/dist/main.js', projector: 'apps/projector/dist/main.js' };
const DATABASE_URL = 'postgres://ida:hunter2@127.0.0.1:1/florin';

/** The programs run alone here, so the composition makes no difference. */
(composition === 'all-in-one' ? describe : describe.skip)('a start without a database', () => {
  it.each(['all-in-one', 'projector'] as const)(
    '%s listens, reports what it waits for, and can be stopped',
    async (name) => {
      const port = await freePort();
      const lines: string[] = [];
      const env = { DATABASE_URL, VAULT_KEY: 'a'.repeat(64), PORT: String(port), FLORIN_DATA_DIR: newDataDirectory() };
      const florin = new ManagedProcess({
        ...programOf('all-in-one', env),
        args: [join(root, programs[name])],
        onLine: (line) => lines.push(line),
      });
      const client = new ApiClient(`http://127.0.0.1:${port}`, undefined);
      const readiness = async () => client.get('/health/ready').catch(() => undefined);
      const waiting = await until('it reports the database', readiness, (response) =>
        (response?.text ?? '').includes('ECONNREFUSED'),
      );
      const reason = 'The database of DATABASE_URL cannot be reached at 127.0.0.1:1 (ECONNREFUSED)';
      expect(waiting).toMatchObject({ status: 503, body: { status: 'unavailable' } });
      expect(waiting!.text).toContain(`still starting, waiting for the database: ${reason}`);
      expect((await client.get('/health/live')).status).toBe(200);
      expect((await client.get('/api/v1/balance')).body).toMatchObject({ statusCode: 503, code: 'unavailable' });
      florin.signal('SIGTERM');
      await florin.exited;
      expect(florin.exitCode).toBe(0);
      expect(lines.filter((line) => line.includes('Waiting for the database')).length).toBeLessThan(10);
      expect(lines.join('\n')).not.toMatch(/ida|hunter2/);
    },
  );
});

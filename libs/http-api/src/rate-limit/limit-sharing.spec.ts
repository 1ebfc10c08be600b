import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { manualClock } from '@florin/kernel/testing';
import { GatewayReplicas } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import type { Pool } from 'pg';
import { Endpoint } from '../endpoint';
import { initialTime, startTestApp, TestLog } from '../testing/test-app';
import { LimitSharing } from './limit-sharing';
import { RateLimiter } from './rate-limiter';

const quota = 20;
const rateLimits = { live: quota, sandbox: quota, exchangeEveryMs: 3_600_000 };
const options = { rateLimits, log: new TestLog() };

@Controller()
class ThingsController {
  @Endpoint({
    method: 'GET',
    path: '/api/v1/things',
    operationId: 'things.list',
    tag: 'Things',
    summary: 'Read',
    scope: 'balance:read',
    response: { status: 200, description: 'Done.' },
  })
  async read(): Promise<object> {
    return {};
  }
}

const companyId = 'c0ffee00-0000-4000-8000-000000000001';

/** One gateway with its own clock and memory. The spec says when it exchanges reports. */
class Gateway {
  private readonly clock = manualClock(initialTime);
  private readonly limiter = new RateLimiter(options, this.clock);
  private readonly sharing = new LimitSharing(this.limiter, options, new GatewayReplicas(pool));

  static async start(): Promise<Gateway> {
    const gateway = new Gateway();
    await gateway.sharing.onModuleInit();
    return gateway;
  }

  /** How many of these requests are granted. */
  grants(requests: number): number {
    const results = Array.from({ length: requests }, () => this.limiter.count(companyId, 'sandbox'));
    return results.filter((result) => result?.refusal === undefined).length;
  }

  exchange(): Promise<void> {
    return this.sharing.exchange();
  }

  advance(ms: number): void {
    this.clock.advance(ms);
  }

  close(): Promise<void> {
    return this.sharing.onModuleDestroy();
  }
}

let database: TestDatabase;
let pool: Pool;
let gateways: Gateway[];

beforeAll(async () => {
  database = await createTestDatabase();
  // With the rights that a gateway has.
  pool = createPool(database.connectionAs('gateway'));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

beforeEach(async () => {
  gateways = [];
  for (let count = 0; count < 2; count++) gateways.push(await Gateway.start());
  await exchange();
});

afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  const { rows } = await pool.query('SELECT * FROM gateway.replicas');
  expect(rows).toEqual([]);
});

async function exchange(): Promise<void> {
  for (const gateway of gateways) await gateway.exchange();
}

/** Sends requests to the gateways every 50 ms and exchanges reports every 250 ms. Returns what was granted. */
async function run(seconds: number, requestsPerTick: readonly number[]): Promise<number> {
  let granted = 0;
  for (let tick = 1; tick <= seconds * 20; tick++) {
    for (const [index, gateway] of gateways.entries()) granted += gateway.grants(requestsPerTick[index]!);
    for (const gateway of gateways) gateway.advance(50);
    if (tick % 5 === 0) await exchange();
  }
  return granted;
}

describe('Two gateways', () => {
  it('grant one quota at once, not two', async () => {
    expect(gateways.map((gateway) => gateway.grants(2 * quota))).toEqual([quota / 2, quota / 2]);
  });

  it('grant one quota at once over HTTP, with the headers of one limit', async () => {
    const standIns = new Map([[GatewayReplicas, new GatewayReplicas(pool)]]);
    const setup = { controllers: [ThingsController], standIns, options: { rateLimits } };
    const apps = [await startTestApp(setup), await startTestApp(setup)];
    // Only these two run.
    for (const gateway of gateways.splice(0)) await gateway.close();
    for (const { app } of apps) await app.get(LimitSharing).exchange();
    const statuses = [];
    for (const { app, keys } of apps) {
      const headers = { authorization: `Bearer ${keys.add()}` };
      for (let count = 0; count < quota; count++) {
        const response = await app.inject({ url: '/api/v1/things', headers });
        expect(response.headers['ratelimit-policy']).toBe(`"default";q=${quota};w=1`);
        if (response.statusCode === 429) expect(response.headers['retry-after']).toBe('1');
        statuses.push(response.statusCode);
      }
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(quota);
    for (const { app } of apps) await app.close();
  });

  it('grant one rate to a company that uses both', async () => {
    const granted = await run(5, [2, 2]);
    expect(granted).toBeGreaterThanOrEqual(5 * quota * 0.9);
    expect(granted).toBeLessThanOrEqual((5 + 1) * quota * 1.1);
  });

  it('grant the whole rate to a company that uses one of them', async () => {
    const granted = await run(5, [2, 0]);
    expect(granted).toBeGreaterThanOrEqual(5 * quota * 0.9);
    expect(granted).toBeLessThanOrEqual((5 + 1) * quota);
  });

  it('follow a company from one to the other', async () => {
    await run(3, [2, 0]);
    const granted = await run(3, [0, 2]);
    expect(granted).toBeGreaterThanOrEqual(3 * quota * 0.8);
    expect(granted).toBeLessThanOrEqual((3 + 1) * quota);
  });

  it('grant their parts while the database cannot be reached', async () => {
    await run(2, [2, 2]);
    let granted = 0;
    for (let tick = 0; tick < 100; tick++) {
      for (const gateway of gateways) granted += gateway.grants(2);
      for (const gateway of gateways) gateway.advance(50);
    }
    expect(granted).toBeGreaterThanOrEqual(5 * quota * 0.9);
    expect(granted).toBeLessThanOrEqual((5 + 1) * quota);
  });
});

describe('A gateway', () => {
  it('that joins reduces the parts of the others', async () => {
    gateways.push(await Gateway.start());
    await exchange();
    expect(gateways.map((gateway) => gateway.grants(quota))).toEqual([6, 6, 6]);
  });

  it('that leaves gives its part to the others with the next exchange', async () => {
    const [first, second] = gateways.splice(0) as [Gateway, Gateway];
    await second.close();
    gateways.push(first);
    await exchange();
    first.advance(1_000);
    expect(first.grants(2 * quota)).toBe(quota);
  });

  it('that dies gives its part to the others after five seconds', async () => {
    const [first, second] = gateways as [Gateway, Gateway];
    // Its row stays, and gets old.
    await pool.query(`UPDATE gateway.replicas SET seen_at = seen_at - interval '4 seconds'`);
    await first.exchange();
    first.advance(1_000);
    expect(first.grants(2 * quota)).toBe(quota / 2);
    await pool.query(`UPDATE gateway.replicas SET seen_at = seen_at - interval '2 seconds'`);
    await first.exchange();
    first.advance(1_000);
    expect(first.grants(2 * quota)).toBe(quota);
    await second.exchange();
  });

  it('that cannot reach the database keeps to its part', async () => {
    const [first, second] = gateways as [Gateway, Gateway];
    await run(1, [2, 2]);
    // The other one regards it as ended and grants the whole rate.
    await pool.query(`UPDATE gateway.replicas SET seen_at = seen_at - interval '6 seconds'`);
    let granted = 0;
    for (let tick = 1; tick <= 100; tick++) {
      granted += first.grants(2) + second.grants(2);
      for (const gateway of gateways) gateway.advance(50);
      if (tick % 5 === 0) await first.exchange();
    }
    expect(granted).toBeLessThanOrEqual((5 * 1.5 + 1) * quota);
    await second.exchange();
  });

  it('that restarts again and again does not grant the whole rate each time', async () => {
    const killed: Gateway[] = [];
    let granted = 0;
    for (let second = 0; second < 5; second++) {
      granted += await run(1, [2, 2]);
      killed.push(gateways.pop()!);
      gateways.push(await Gateway.start());
    }
    // With its whole rate after each restart, it would grant 5 more quotas.
    expect(granted).toBeLessThanOrEqual((5 + 1) * quota * 1.5);
    expect(granted).toBeGreaterThanOrEqual(5 * quota * 0.5);
    for (const gateway of killed) await gateway.close();
  });

  it('keeps its own row after a long pause, and removes those of others', async () => {
    const [first, second] = gateways as [Gateway, Gateway];
    await pool.query(`UPDATE gateway.replicas SET seen_at = seen_at - interval '2 minutes'`);
    await first.exchange();
    const { rows } = await pool.query("SELECT seen_at > now() - interval '1 minute' AS fresh FROM gateway.replicas");
    expect(rows).toEqual([{ fresh: true }]);
    await second.exchange();
    await first.exchange();
    first.advance(1_000);
    expect(first.grants(2 * quota)).toBe(quota / 2);
  });
});

it('exchanges in one series, although NestJS starts it twice', async () => {
  const replicas = new GatewayReplicas(pool);
  const exchanges = jest.spyOn(replicas, 'exchange');
  const sharing = new LimitSharing(new RateLimiter(options, manualClock(initialTime)), options, replicas);
  await sharing.onModuleInit();
  await sharing.onModuleInit();
  expect(exchanges).toHaveBeenCalledTimes(1);
  await sharing.onModuleDestroy();
});

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from './tenant';

export interface AbusePattern {
  readonly name: string;
  /** One step of one connection. The server's limits decide how many run per second. */
  readonly attack: () => Promise<unknown>;
  /** For requests that no rate limit counts: as many per second as the limit of the sandbox would allow. */
  readonly perSecond?: number;
  /** Removes what would go on after the last attack. */
  readonly end?: () => Promise<unknown>;
}

const preparation = { holders: 4_000, operations: 1_000 } as const;
const concurrency = 16;
/** `RATE_LIMIT_SANDBOX`. */
const sandboxLimit = 50;

/** Gives the abusive tenant the data that makes its requests expensive. */
export async function prepareAbuser(abuser: Tenant, progress: (message: string) => void): Promise<void> {
  await repeat(preparation.holders, progress, 'holders', (index) => {
    const body = { name: `Holder ${index}`, email: 'a@example.com', kind: 'individual', externalId: `abuse-${index}` };
    return abuser.require({ method: 'POST', path: '/api/v1/holders', body });
  });
  await repeat(preparation.operations, progress, 'operations', () => abuser.require(abuser.issue()));
}

/** The worst that was found so far, one resource each. */
export async function abusePatterns(abuser: Tenant, receiverUrl: string): Promise<readonly AbusePattern[]> {
  const endpoint = `/api/v1/webhook-endpoints/${await abuser.createEndpoint(`${receiverUrl}/abusive`)}`;
  const hanging = `/api/v1/webhook-endpoints/${await abuser.createEndpoint(`${receiverUrl}/hang`)}`;
  const set = (path: string, status: 'enabled' | 'disabled') =>
    abuser.sendWithinLimits({ method: 'PATCH', path, body: { status } });
  const get = (path: string, key?: string) => abuser.sendWithinLimits({ method: 'GET', path, key });
  const today = new Date().toISOString().slice(0, 10);
  await set(hanging, 'disabled');
  return [
    {
      name: 'webhook recovery',
      attack: async () => {
        const since = new Date(Date.now() - 86_400_000).toISOString();
        await abuser.sendWithinLimits({ method: 'POST', path: `${endpoint}/recover`, body: { since } });
        await set(endpoint, 'disabled');
        await set(endpoint, 'enabled');
      },
    },
    {
      name: 'secret rotation',
      attack: () => abuser.sendWithinLimits({ method: 'POST', path: `${endpoint}/rotate-secret` }),
    },
    { name: 'lists without a limit', attack: async () => [await get('/api/v1/holders'), await get('/api/v1/cards')] },
    {
      name: 'filters without a match',
      attack: async () => [
        await get('/api/v1/transactions?status=reversed'),
        await get('/api/v1/cards?status=closed'),
        await get('/api/v1/events?type=invoice.failed'),
      ],
    },
    { name: 'statements', attack: () => get(`/api/v1/account-statements?from=${today}&to=${today}`) },
    { name: 'operations', attack: () => abuser.sendWithinLimits(abuser.issue()) },
    {
      name: 'operations with a hanging endpoint',
      attack: async () => {
        await set(hanging, 'enabled');
        await abuser.sendWithinLimits(abuser.issue());
      },
      end: () => set(hanging, 'disabled'),
    },
    { name: 'API description', attack: () => get('/api/v1/openapi.json'), perSecond: sandboxLimit },
    {
      name: 'unknown keys',
      attack: () => get('/api/v1/balance', `fl_test_${randomUUID().replaceAll('-', '')}`),
      perSecond: sandboxLimit,
    },
  ];
}

/** Attacks over several connections until `stop` is called, which returns the number of attacks. */
export function startAbuse(
  abuser: Tenant,
  { attack, perSecond = Infinity, end }: AbusePattern,
): { stop(): Promise<number> } {
  let stopped = false;
  let attacks = 0;
  let nextAt = performance.now();
  const turn = async (): Promise<void> => {
    const waitMs = nextAt - performance.now();
    nextAt += 1_000 / perSecond;
    if (waitMs > 0) await delay(waitMs);
  };
  const connections = Array.from({ length: concurrency }, async () => {
    while (!stopped) {
      await turn();
      await attack();
      attacks += 1;
    }
  });
  return {
    stop: async () => {
      stopped = true;
      await abuser.withoutWaiting(() => Promise.all(connections));
      await end?.();
      return attacks;
    },
  };
}

async function repeat(
  count: number,
  progress: (message: string) => void,
  what: string,
  create: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let index = next++; index < count; index = next++) {
        await create(index);
        if (index % 1_000 === 999) progress(`${index + 1} ${what} of the abusive tenant`);
      }
    }),
  );
}

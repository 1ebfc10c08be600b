import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { StolenTime } from '../stolen-time';
import type { Tenant } from './tenant';
import type { WebhookReceiver } from './webhook-receiver';

/** Of each tenant. Far below the limits and what the machine can do, so that only the neighbour matters. */
const rates = { readsPerSecond: 8, writesPerSecond: 4 } as const;
const webhookTimeoutMs = 30_000;

/** Durations in milliseconds, without those that the host of the machine has disturbed. */
export interface PoliteResult {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  /** From the request to the webhook about the completed operation. */
  readonly webhooks: readonly number[];
  /** Requests that did not succeed, and operations whose webhook did not arrive in time. */
  readonly failures: number;
  /** Reads, writes and webhooks that are not counted, because the host took CPU time away. */
  readonly disturbed: number;
}

interface Timed {
  readonly from: number;
  readonly to: number;
}

/** All tenants read their balance and issue cards at a fixed rate, regardless of how long the responses take. */
export async function politeLoad(
  tenants: readonly Tenant[],
  receiver: WebhookReceiver,
  stolenTime: StolenTime,
  durationMs: number,
): Promise<PoliteResult> {
  const reads: Timed[] = [];
  const writes: Timed[] = [];
  const issued: { readonly id: string; readonly sentAt: number }[] = [];
  let failures = 0;

  const read = async (tenant: Tenant, dueAt: number): Promise<void> => {
    const { status } = await tenant.send({ method: 'GET', path: '/api/v1/balance' });
    reads.push({ from: dueAt, to: performance.now() });
    if (status !== 200) failures += 1;
  };
  const write = async (tenant: Tenant, dueAt: number): Promise<void> => {
    const { status, body } = await tenant.send(tenant.issue());
    writes.push({ from: dueAt, to: performance.now() });
    if (status === 201) issued.push({ id: body['id'] as string, sentAt: dueAt });
    else failures += 1;
  };

  await Promise.all(
    tenants.flatMap((tenant) => [
      atFixedRate(rates.readsPerSecond, durationMs, (dueAt) => read(tenant, dueAt)),
      atFixedRate(rates.writesPerSecond, durationMs, (dueAt) => write(tenant, dueAt)),
    ]),
  );
  const deadline = performance.now() + webhookTimeoutMs;
  while (issued.some(({ id }) => receiver.arrivalOf(id) === undefined) && performance.now() < deadline) await delay(50);
  const arrived = issued.flatMap(({ id, sentAt }) => {
    const to = receiver.arrivalOf(id);
    return to === undefined ? [] : [{ from: sentAt, to }];
  });
  failures += issued.length - arrived.length;
  let disturbed = 0;
  const durations = (all: readonly Timed[]): number[] => {
    const undisturbed = all.filter(({ from, to }) => stolenTime.isUndisturbed(from, to));
    disturbed += all.length - undisturbed.length;
    return undisturbed.map(({ from, to }) => to - from);
  };
  return { reads: durations(reads), writes: durations(writes), webhooks: durations(arrived), failures, disturbed };
}

/** Starts one call after another without waiting for their ends. The first begins at a random moment of the interval. */
async function atFixedRate(
  perSecond: number,
  durationMs: number,
  call: (dueAt: number) => Promise<void>,
): Promise<void> {
  const intervalMs = 1_000 / perSecond;
  const begin = performance.now();
  const calls: Promise<void>[] = [];
  for (let dueAt = begin + Math.random() * intervalMs; dueAt < begin + durationMs; dueAt += intervalMs) {
    await delay(Math.max(0, dueAt - performance.now()));
    calls.push(call(dueAt));
  }
  await Promise.all(calls);
}

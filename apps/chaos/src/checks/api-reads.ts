import { setTimeout as delay } from 'node:timers/promises';
import { type ApiResponse, type Api, describeResponse, isConclusive, isSuccess } from '../load/api';
import type { LoadAccount } from '../load/load-account';

export type Item = Readonly<Record<string, unknown>> & { readonly id: string };

const attempts = 20;

/** A read that must succeed now that the faults are over; a busy machine may need a few attempts. */
export async function readWithRetry(
  api: Api,
  { key: token, name }: LoadAccount,
  path: string,
): Promise<ApiResponse['body']> {
  for (let attempt = 1; ; attempt++) {
    const response = await api.send({ method: 'GET', path, token });
    if (isSuccess(response)) return response.body;
    if (isConclusive(response) || attempt === attempts) {
      throw new Error(`GET ${path} of ${name} returned ${describeResponse(response)}`);
    }
    await delay(500);
  }
}

/** All items of a list, by id. */
export async function listAll(api: Api, account: LoadAccount, path: string): Promise<ReadonlyMap<string, Item>> {
  const items = new Map<string, Item>();
  for (let cursor = ''; ;) {
    const { data, nextCursor } = await readWithRetry(api, account, `/api/v1/${path}?limit=100${cursor}`);
    for (const item of data as readonly Item[]) items.set(item.id, item);
    if (nextCursor === undefined) return items;
    cursor = `&cursor=${encodeURIComponent(String(nextCursor))}`;
  }
}

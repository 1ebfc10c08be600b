import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Api, describeAnswer, isKnown, isSuccess } from '../load/api';
import type { LoadAccount } from '../load/load-account';

export type Item = Readonly<Record<string, unknown>> & { readonly id: string };

const attempts = 20;

/** A read that has to succeed by now; a busy machine may take a few attempts. */
export async function readShown(api: Api, { key: token, name }: LoadAccount, path: string): Promise<Answer['body']> {
  for (let attempt = 1; ; attempt++) {
    const answer = await api.send({ method: 'GET', path, token });
    if (isSuccess(answer)) return answer.body;
    if (isKnown(answer) || attempt === attempts) {
      throw new Error(`GET ${path} of ${name} was answered ${describeAnswer(answer)}`);
    }
    await delay(500);
  }
}

/** Everything in a list, by its id. */
export async function listShown(api: Api, account: LoadAccount, path: string): Promise<ReadonlyMap<string, Item>> {
  const items = new Map<string, Item>();
  for (let cursor = ''; ;) {
    const { data, nextCursor } = await readShown(api, account, `/api/v1/${path}?limit=100${cursor}`);
    for (const item of data as readonly Item[]) items.set(item.id, item);
    if (nextCursor === undefined) return items;
    cursor = `&cursor=${encodeURIComponent(String(nextCursor))}`;
  }
}

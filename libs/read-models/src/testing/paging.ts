import type { Page } from '../keyset-page';

/** Reads all pages of a list and runs a callback between them. */
export async function readToEnd<View extends { readonly id: string }>(
  list: (page: Page) => Promise<readonly View[]>,
  limit: number,
  timeOf: (view: View) => string,
  between: () => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: Page['after']; ;) {
    const views = await list({ limit, after });
    ids.push(...views.map(({ id }) => id));
    const last = views.at(-1);
    if (last === undefined || views.length < limit) return ids;
    after = { createdAt: timeOf(last), id: last.id };
    await between();
  }
}

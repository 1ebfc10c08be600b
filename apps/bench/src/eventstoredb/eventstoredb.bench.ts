import type { Bench } from '../bench';
import { hasEventStoreDb } from './bench-event-store';
import { productRows } from './product-rows';
import { appendRows, catchUpRows, headRows } from './store-rows';

/** A real EventStoreDB, beside its bare client and beside Postgres. */
export const eventStoreDbBench: Bench = {
  name: 'eventstoredb',
  title: 'Florin on a real EventStoreDB, on its bare client, and on Postgres',
  run: async (context) => {
    if (!hasEventStoreDb()) {
      context.progress('skipped: no EventStoreDB found. Set EVENTSTOREDB_RUN to a command that starts one.');
      return [];
    }
    return [
      ...(await appendRows(context)),
      ...(await catchUpRows(context)),
      ...(await headRows(context)),
      ...(await productRows(context)),
    ];
  },
};

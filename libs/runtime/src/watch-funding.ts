import { InvoiceQueries } from '@florin/read-models';
import { TronWatcher } from '@florin/tron-application';
import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from './config';
import type { Health } from './health';
import type { Metrics } from './metrics';

/** Shows how far the chain was read, and whether anybody waits for a payment where nobody looks. */
export function watchFunding(app: INestApplicationContext, config: Config, health: Health, metrics: Metrics): void {
  if (config.TRON_NODE_URL !== undefined) watchChain(app.get(TronWatcher, { strict: false }), health, metrics);
  const invoices = app.get(InvoiceQueries, { strict: false });
  health.register('payment addresses', async () => {
    const lost = await invoices.awaitingElsewhere(config.TRON_ADDRESSES ?? []);
    if (lost.length === 0) return true;
    const addresses = [...new Set(lost.map(({ address }) => address))].join(', ');
    return `live invoices can still be paid at ${addresses}: name these in TRON_ADDRESSES again until their watch is over`;
  });
}

/** A node that is behind or away holds up invoices and nothing else, so that only a watcher that gave up is not ready. */
function watchChain(watcher: TronWatcher, health: Health, metrics: Metrics): void {
  health.register('tron', async () => {
    const { state, reason, cursorBlock, headBlock, lagBlocks, lagSeconds } = watcher.status();
    return { ok: state !== 'stopped', state, reason, cursorBlock, headBlock, lagBlocks, lagSeconds };
  });
  metrics.gauge({
    name: 'florin_tron_cursor_block',
    help: 'The last block that was recorded',
    read: () => watcher.status().cursorBlock,
  });
  metrics.gauge({
    name: 'florin_tron_lag_blocks',
    help: 'Solidified blocks that are still to be recorded',
    read: () => watcher.status().lagBlocks,
  });
  metrics.gauge({
    name: 'florin_tron_lag_seconds',
    help: 'The age of the last block that was recorded',
    read: () => watcher.status().lagSeconds,
  });
}

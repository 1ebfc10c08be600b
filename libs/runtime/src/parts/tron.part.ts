import { CHAIN, TronModule, TronWatcher } from '@florin/tron-application';
import { TronNodeChain } from '@florin/tron-node';
import type { Health } from '../health';
import type { Metrics } from '../metrics';
import type { ServicePart } from '../service-definition';

/**
 * The sandbox needs no chain, so without a node there is no watcher. The configuration has the node, the contract, the
 * addresses and the start block, or none of them.
 */
export const tronPart: ServicePart = {
  modules: (config, log) => {
    if (config.TRON_NODE_URL === undefined) return [];
    const watcher = {
      startBlock: config.TRON_START_BLOCK!,
      contract: config.TRON_USDT_CONTRACT!,
      blocksPerSecond: config.TRON_BLOCKS_PER_SECOND,
      concurrency: config.TRON_CONCURRENCY,
      storeEveryMs: config.TRON_RECORD_SECONDS * 1_000,
      log,
    };
    return [TronModule.forRoot(watcher)];
  },
  ports: (config) => {
    if (config.TRON_NODE_URL === undefined) return [];
    const chain = new TronNodeChain({
      url: config.TRON_NODE_URL,
      contract: config.TRON_USDT_CONTRACT!,
      addresses: config.TRON_ADDRESSES!,
      timeoutMs: config.TRON_TIMEOUT_SECONDS * 1_000,
      apiKey: config.TRON_API_KEY,
    });
    return [{ provide: CHAIN, useValue: chain }];
  },
  monitor: (app, { config, health, metrics }) => {
    if (config.TRON_NODE_URL !== undefined) monitorChain(app.get(TronWatcher, { strict: false }), health, metrics);
  },
};

const gauges = [
  ['florin_tron_cursor_block', 'The last recorded block', 'cursorBlock'],
  ['florin_tron_lag_blocks', 'Solidified blocks that are not recorded yet', 'lagBlocks'],
  ['florin_tron_lag_seconds', 'The age of the last recorded block', 'lagSeconds'],
] as const;

/** A node that lags or is unreachable only delays invoices, so the service is unready only if the watcher has stopped. */
function monitorChain(watcher: TronWatcher, health: Health, metrics: Metrics): void {
  health.register('tron', async () => {
    const { state, reason, cursorBlock, headBlock, lagBlocks, lagSeconds } = watcher.status();
    return { ok: state !== 'stopped', state, reason, cursorBlock, headBlock, lagBlocks, lagSeconds };
  });
  for (const [name, help, field] of gauges) metrics.gauge({ name, help, read: () => watcher.status()[field] });
}

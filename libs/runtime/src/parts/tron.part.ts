import { CHAIN, TronModule, TronWatcher } from '@florin/tron-application';
import { TronNodeChain } from '@florin/tron-node';
import type { Config } from '../config';
import type { Health } from '../health';
import type { Metrics } from '../metrics';
import type { ServicePart } from '../service-definition';

/** Where live invoices are paid; nothing while no chain is configured. */
interface TronSetting {
  readonly url: string;
  readonly contract: string;
  readonly addresses: readonly string[];
  readonly startBlock: number;
}

/** The sandbox never touches a chain, so that without one there is simply no watcher. */
export const tronPart: ServicePart = {
  modules: (config, log) => {
    const tron = tronSetting(config);
    if (tron === undefined) return [];
    const { startBlock, contract } = tron;
    const pace = { blocksPerSecond: config.TRON_BLOCKS_PER_SECOND, concurrency: config.TRON_CONCURRENCY };
    return [TronModule.forRoot({ startBlock, contract, ...pace, log })];
  },
  ports: (config) => {
    const tron = tronSetting(config);
    if (tron === undefined) return [];
    const { url, contract, addresses } = tron;
    const timeoutMs = config.TRON_TIMEOUT_SECONDS * 1_000;
    const chain = new TronNodeChain({ url, contract, addresses, timeoutMs, apiKey: config.TRON_API_KEY });
    return [{ provide: CHAIN, useValue: chain }];
  },
  watch: (app, { config, health, metrics }) => {
    if (tronSetting(config) !== undefined) watchChain(app.get(TronWatcher, { strict: false }), health, metrics);
  },
};

/** The configuration has all four or none. */
function tronSetting(config: Config): TronSetting | undefined {
  const {
    TRON_NODE_URL: url,
    TRON_USDT_CONTRACT: contract,
    TRON_ADDRESSES: addresses,
    TRON_START_BLOCK: startBlock,
  } = config;
  if (url === undefined || contract === undefined || addresses === undefined || startBlock === undefined)
    return undefined;
  return { url, contract, addresses, startBlock };
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

import { CHAIN, TronModule, TronWatcher } from '@florin/tron-application';
import { TronNodeChain } from '@florin/tron-node';
import type { Config } from '../config';
import type { Health } from '../health';
import type { Metrics } from '../metrics';
import type { ServicePart } from '../service-definition';

/** The configured TRON node. */
interface TronSetting {
  readonly url: string;
  readonly contract: string;
  readonly addresses: readonly string[];
  readonly startBlock: number;
}

/** The sandbox needs no chain, so without a node there is no watcher. */
export const tronPart: ServicePart = {
  modules: (config, log) => {
    const tron = tronSetting(config);
    if (tron === undefined) return [];
    const { startBlock, contract } = tron;
    const rate = { blocksPerSecond: config.TRON_BLOCKS_PER_SECOND, concurrency: config.TRON_CONCURRENCY };
    return [TronModule.forRoot({ startBlock, contract, ...rate, log })];
  },
  ports: (config) => {
    const tron = tronSetting(config);
    if (tron === undefined) return [];
    const { url, contract, addresses } = tron;
    const timeoutMs = config.TRON_TIMEOUT_SECONDS * 1_000;
    const chain = new TronNodeChain({ url, contract, addresses, timeoutMs, apiKey: config.TRON_API_KEY });
    return [{ provide: CHAIN, useValue: chain }];
  },
  monitor: (app, { config, health, metrics }) => {
    if (tronSetting(config) !== undefined) monitorChain(app.get(TronWatcher, { strict: false }), health, metrics);
  },
};

/** The configuration validates that all four are set, or none. */
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

/** A node that lags or is unreachable only delays invoices, so the service is unready only if the watcher has stopped. */
function monitorChain(watcher: TronWatcher, health: Health, metrics: Metrics): void {
  health.register('tron', async () => {
    const { state, reason, cursorBlock, headBlock, lagBlocks, lagSeconds } = watcher.status();
    return { ok: state !== 'stopped', state, reason, cursorBlock, headBlock, lagBlocks, lagSeconds };
  });
  metrics.gauge({
    name: 'florin_tron_cursor_block',
    help: 'The last recorded block',
    read: () => watcher.status().cursorBlock,
  });
  metrics.gauge({
    name: 'florin_tron_lag_blocks',
    help: 'Solidified blocks that are not recorded yet',
    read: () => watcher.status().lagBlocks,
  });
  metrics.gauge({
    name: 'florin_tron_lag_seconds',
    help: 'The age of the last recorded block',
    read: () => watcher.status().lagSeconds,
  });
}

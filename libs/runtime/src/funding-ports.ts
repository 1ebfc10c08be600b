import { DUE_INVOICES, type InvoicingOptions } from '@florin/invoicing-application';
import { DueInvoicesQuery } from '@florin/read-models';
import { CHAIN, TronModule } from '@florin/tron-application';
import { TronNodeChain } from '@florin/tron-node';
import type { DynamicModule, Provider } from '@nestjs/common';
import type { Config } from './config';
import type { Log } from './log';
import type { Platform } from './platform';

/** Where live invoices are paid; nothing while no chain is configured. */
interface TronSetting {
  readonly url: string;
  readonly contract: string;
  readonly addresses: readonly string[];
  readonly startBlock: number;
}

/** What stands behind the ports of invoicing and of the watcher. */
export function fundingPorts(config: Config, { pool }: Platform): Provider[] {
  const ports: Provider[] = [{ provide: DUE_INVOICES, useValue: new DueInvoicesQuery(pool) }];
  const tron = tronSetting(config);
  if (tron === undefined) return ports;
  const { url, contract, addresses } = tron;
  const timeoutMs = config.TRON_TIMEOUT_SECONDS * 1_000;
  const chain = new TronNodeChain({ url, contract, addresses, timeoutMs, apiKey: config.TRON_API_KEY });
  return [...ports, { provide: CHAIN, useValue: chain }];
}

/** The sandbox never touches a chain, so that without one there is simply no watcher. */
export function tronModules(config: Config, log: Log): DynamicModule[] {
  const tron = tronSetting(config);
  if (tron === undefined) return [];
  const { startBlock, contract } = tron;
  const pace = { blocksPerSecond: config.TRON_BLOCKS_PER_SECOND, concurrency: config.TRON_CONCURRENCY };
  return [TronModule.forRoot({ startBlock, contract, ...pace, log })];
}

export function invoicingOptions(config: Config, log: Log): InvoicingOptions {
  return {
    addresses: config.TRON_ADDRESSES ?? [],
    lifetimeMs: config.INVOICE_LIFETIME_SECONDS * 1_000,
    minimumAmount: config.MINIMUM_INVOICE_AMOUNT,
    log,
  };
}

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

import { simulatedAddress, simulatedContract, TronSimulator } from '@florin/tron-simulator';

export const treasury = [simulatedAddress('treasury 1'), simulatedAddress('treasury 2')];

/** A chain on which a block is final after this many further blocks. */
export async function startChain(solidifyAfter = 0): Promise<TronSimulator> {
  return TronSimulator.start({ solidifyAfter });
}

/** The settings that connect Florin to the chain. */
export function chainSettings(chain: TronSimulator): Record<string, string> {
  return {
    TRON_NODE_URL: chain.url,
    TRON_USDT_CONTRACT: simulatedContract,
    TRON_ADDRESSES: treasury.join(','),
    TRON_START_BLOCK: String(chain.state().firstBlock),
    TRON_BLOCKS_PER_SECOND: '1000',
    TRON_RECORD_SECONDS: '1',
    RATE_LIMIT_LIVE: '0',
    RATE_LIMIT_SANDBOX: '0',
  };
}

/** The time, shifted by this many milliseconds. */
export function at(time: string, milliseconds: number): string {
  return new Date(Date.parse(time) + milliseconds).toISOString();
}

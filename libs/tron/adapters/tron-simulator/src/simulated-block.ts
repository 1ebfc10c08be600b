import type { SimTransaction } from './transactions';

/** The USDT transfers of each block of a load test. Transaction ids are unique per block. */
export interface Filling {
  readonly transfersPerBlock: number;
  /** The recipients, one after another; unknown addresses by default. */
  readonly recipients?: readonly string[];
}

export interface SimBlock {
  readonly number: number;
  /** Eight bytes of the block number and 24 bytes of a hash. */
  readonly id: string;
  readonly parentId: string;
  readonly time: string;
  readonly transactions: readonly (SimTransaction & { readonly id: string })[];
  /** Generates transactions on demand instead of `transactions`. */
  readonly filling?: Filling;
}

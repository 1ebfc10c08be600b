import type { SimTransaction } from './transactions';

/** Blocks for load: each with so many transfers of USDT, whose ids are the block's own. */
export interface Filling {
  readonly transfersPerBlock: number;
  /** Who receives them, in turn; strangers where nobody is named. */
  readonly recipients?: readonly string[];
}

export interface SimBlock {
  readonly number: number;
  /** Eight bytes of the number, and 24 of a hash. */
  readonly id: string;
  readonly parentId: string;
  readonly time: string;
  readonly transactions: readonly (SimTransaction & { readonly id: string })[];
  /** Transactions made up on demand, in place of those above. */
  readonly filling?: Filling;
}

/** The parts of java-tron responses that are read. No field is trusted to exist: each is checked where it is used. */

export interface NodeBlock {
  readonly blockID?: string;
  readonly block_header?: {
    readonly raw_data?: { readonly number?: number; readonly parentHash?: string; readonly timestamp?: number };
  };
  /** Absent when the block is empty. */
  readonly transactions?: readonly NodeTransaction[];
}

export interface NodeTransaction {
  readonly txID?: string;
  readonly ret?: readonly { readonly contractRet?: string }[];
}

export interface NodeTransactionInfo {
  readonly id?: string;
  readonly blockNumber?: number;
  /** Present only when the transaction failed. */
  readonly result?: string;
  readonly receipt?: { readonly result?: string };
  readonly log?: readonly NodeLog[];
}

export interface NodeLog {
  readonly address?: string;
  readonly topics?: readonly string[];
  readonly data?: string;
}

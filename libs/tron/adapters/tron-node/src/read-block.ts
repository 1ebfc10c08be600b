import { formatUsdt } from '@florin/kernel';
import { type Block, type BlockHead, ChainUnavailable } from '@florin/tron-application';
import type { TokenTransfer } from '@florin/tron-domain';
import type { NodeBlock, NodeTransaction, NodeTransactionInfo } from './node-responses';
import { type AccountHex, addressOf } from './tron-address';

export interface Watched {
  readonly contract: AccountHex;
  /** The addresses, by their accounts. */
  readonly addresses: ReadonlyMap<AccountHex, string>;
}

/** `Transfer(address,address,uint256)`. */
const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const wordPattern = /^[0-9a-f]{64}$/;
const accountPattern = /^[0-9a-f]{40}$/;
/** An address fills the end of a word. */
const accountAt = 24;

export function readHead(answer: NodeBlock): BlockHead {
  const { number, id, time } = understood(() => headerOf(answer));
  return { number, id, time };
}

/**
 * Makes a block of the two answers about it. They come from a node that may be behind or broken, and perhaps from two of
 * them: whatever does not fit together is refused as a whole, since what is missing could be somebody's money.
 */
export function readBlock(
  number: number,
  block: NodeBlock,
  infos: readonly NodeTransactionInfo[],
  watched: Watched,
): Block {
  return understood(() => {
    if (block.blockID === undefined) throw new ChainUnavailable(`The TRON node does not have block ${number} yet`);
    const header = headerOf(block);
    check(header.number === number, `block ${header.number} where block ${number} was asked for`);
    const transactions = block.transactions ?? [];
    const outcomes = outcomesOf(number, transactions, infos);
    const transfers: TokenTransfer[] = [];
    transactions.forEach((transaction, index) => {
      const info = outcomes[index]!;
      check(info.blockNumber === number, `an outcome of block ${info.blockNumber} in block ${number}`);
      if (info.log !== undefined) collectTransfers(transaction, info, header, watched, transfers);
    });
    return { ...header, transfers };
  });
}

function headerOf({ blockID, block_header }: NodeBlock): Omit<Block, 'transfers'> {
  const { number, parentHash, timestamp } = block_header?.raw_data ?? {};
  check(isWord(blockID) && isWord(parentHash), 'a block without ids');
  check(Number.isSafeInteger(number) && Number.isSafeInteger(timestamp), 'a block without number or time');
  check(Number.parseInt(blockID.slice(0, 16), 16) === number, `block ${number} with the id of another block`);
  return { number: number!, id: blockID, parentId: parentHash, time: new Date(timestamp!).toISOString() };
}

/** One outcome for each transaction, in their order. A node that lags behind gives outcomes late. */
function outcomesOf(
  number: number,
  transactions: readonly NodeTransaction[],
  infos: readonly NodeTransactionInfo[],
): readonly NodeTransactionInfo[] {
  const isWhole = infos.length === transactions.length;
  check(isWhole, `${infos.length} outcomes of the ${transactions.length} transactions in block ${number}`);
  if (transactions.every(({ txID }, index) => infos[index]?.id === txID)) return infos;
  const unclaimed = new Map(infos.map((info) => [info.id, info]));
  return transactions.map(({ txID }) => {
    const info = unclaimed.get(txID);
    check(info !== undefined && unclaimed.delete(txID), `no outcome of a transaction in block ${number}`);
    return info;
  });
}

/** The node says it in the block and with the outcome; only a success in both places is one. */
function hasSucceeded({ ret }: NodeTransaction, { receipt, result }: NodeTransactionInfo): boolean {
  return ret?.[0]?.contractRet === 'SUCCESS' && receipt?.result === 'SUCCESS' && result !== 'FAILED';
}

/** Nearly all logs are somebody else's, so that they are told by their raw texts before anything is decoded. */
function collectTransfers(
  transaction: NodeTransaction,
  info: NodeTransactionInfo,
  block: BlockHead,
  { contract, addresses }: Watched,
  transfers: TokenTransfer[],
): void {
  info.log?.forEach(({ address, topics = [], data }, logIndex) => {
    if (address !== contract) return check(isAccount(address), 'a log without a readable address');
    if (topics[0] !== transferTopic) return check(topics.every(isWord), 'a log without readable topics');
    const [, from, to] = topics;
    check(topics.length === 3 && isWord(to), 'a transfer without a readable receiver');
    const receiver = addresses.get(to.slice(accountAt));
    if (receiver === undefined || !hasSucceeded(transaction, info)) return;
    check(isWord(info.id) && isWord(from) && isWord(data), 'a transfer to us without its parts');
    const amount = BigInt(`0x${data}`);
    if (amount === 0n) return;
    transfers.push({
      transactionId: info.id,
      logIndex,
      from: addressOf(from.slice(accountAt)),
      to: receiver,
      amount: formatUsdt(amount),
      blockNumber: block.number,
      blockTime: block.time,
    });
  });
}

function isAccount(text: unknown): text is AccountHex {
  return typeof text === 'string' && accountPattern.test(text);
}

function isWord(text: unknown): text is string {
  return typeof text === 'string' && wordPattern.test(text);
}

function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new ChainUnavailable(`The TRON node answered with ${what}; the block will be asked for again`);
}

/** Answers of an unforeseen shape trip the reader up somewhere. That is the node's failure and no reason to give up. */
function understood<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    throw new ChainUnavailable('The TRON node answered with something of an unknown shape', { cause: error });
  }
}

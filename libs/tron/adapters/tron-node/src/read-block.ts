import { formatUsdt } from '@florin/kernel';
import { type Block, type BlockHead, ChainUnavailable } from '@florin/tron-application';
import type { TokenTransfer } from '@florin/tron-domain';
import type { NodeBlock, NodeTransaction, NodeTransactionInfo } from './node-responses';
import { type AccountHex, addressOf } from './tron-address';

export interface WatchedAddresses {
  readonly contract: AccountHex;
  /** The watched addresses by account. */
  readonly addresses: ReadonlyMap<AccountHex, string>;
}

/** `Transfer(address,address,uint256)`. */
const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const wordPattern = /^[0-9a-f]{64}$/;
const accountPattern = /^[0-9a-f]{40}$/;
/** An account is right-aligned in its 32-byte word. */
const accountAt = 24;

export function readHead(block: NodeBlock): BlockHead {
  const { number, id, time } = parse(() => headerOf(block));
  return { number, id, time };
}

/**
 * Combines the two responses about a block. They may come from a node that lags or is broken, or from two nodes behind
 * one address. Any inconsistency rejects the whole block, because the missing part could be a payment.
 */
export function readBlock(
  number: number,
  block: NodeBlock,
  infos: readonly NodeTransactionInfo[],
  watched: WatchedAddresses,
): Block {
  return parse(() => {
    if (block.blockID === undefined) throw new ChainUnavailable(`The TRON node does not have block ${number} yet`);
    const header = headerOf(block);
    check(header.number === number, `block ${header.number} instead of block ${number}`);
    const transactions = block.transactions ?? [];
    const ordered = infosInOrder(number, transactions, infos);
    const transfers: TokenTransfer[] = [];
    transactions.forEach((transaction, index) => {
      const info = ordered[index]!;
      check(info.blockNumber === number, `a transaction info of block ${info.blockNumber} in block ${number}`);
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

/** One info per transaction, in the order of the block. A lagging node has the block before it has all infos. */
function infosInOrder(
  number: number,
  transactions: readonly NodeTransaction[],
  infos: readonly NodeTransactionInfo[],
): readonly NodeTransactionInfo[] {
  const isWhole = infos.length === transactions.length;
  check(isWhole, `${infos.length} transaction infos for the ${transactions.length} transactions in block ${number}`);
  if (transactions.every(({ txID }, index) => infos[index]?.id === txID)) return infos;
  const unclaimed = new Map(infos.map((info) => [info.id, info]));
  return transactions.map(({ txID }) => {
    const info = unclaimed.get(txID);
    check(info !== undefined && unclaimed.delete(txID), `no info for a transaction in block ${number}`);
    return info;
  });
}

/** The block and the info both state the outcome. A transaction succeeded only if both report success. */
function hasSucceeded({ ret }: NodeTransaction, { receipt, result }: NodeTransactionInfo): boolean {
  return ret?.[0]?.contractRet === 'SUCCESS' && receipt?.result === 'SUCCESS' && result !== 'FAILED';
}

/** Compares raw hexadecimal text before decoding, because nearly all logs concern other addresses. */
function collectTransfers(
  transaction: NodeTransaction,
  info: NodeTransactionInfo,
  block: BlockHead,
  { contract, addresses }: WatchedAddresses,
  transfers: TokenTransfer[],
): void {
  info.log?.forEach(({ address, topics = [], data }, logIndex) => {
    if (address !== contract) return check(isAccount(address), 'a log without a readable address');
    if (topics[0] !== transferTopic) return check(topics.every(isWord), 'a log without readable topics');
    const [, from, to] = topics;
    check(topics.length === 3 && isWord(to), 'a transfer without a readable recipient');
    const recipient = addresses.get(to.slice(accountAt));
    if (recipient === undefined || !hasSucceeded(transaction, info)) return;
    check(isWord(info.id) && isWord(from) && isWord(data), 'an incomplete transfer to a watched address');
    const amount = BigInt(`0x${data}`);
    if (amount === 0n) return;
    transfers.push({
      transactionId: info.id,
      logIndex,
      from: addressOf(from.slice(accountAt)),
      to: recipient,
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
  if (!condition) throw new ChainUnavailable(`The TRON node returned ${what}; retrying`);
}

/** A response of an unexpected shape is an error of the node, which a retry may resolve. */
function parse<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    throw new ChainUnavailable('The TRON node returned a response of an unknown shape', { cause: error });
  }
}

import { sha256, simulatedAddress, toHex } from './simulated-address';
import type { SimBlock } from './simulated-block';
import type { SimTransaction } from './transactions';

/**
 * Renders blocks and transaction infos like java-tron, which omits fields with default values: an empty block has no
 * `transactions`, and a TRX transfer has no `receipt.result`.
 */

type Mined = SimBlock['transactions'][number];

const witness = toHex(simulatedAddress('witness'));
const signature = sha256('signature').toString('hex').repeat(2) + '1b';
/** The lifetime of a transaction before it is mined. */
export const validityMs = 60_000;

export function blockJson(block: SimBlock): string {
  const { number, id, parentId, transactions } = block;
  return JSON.stringify({
    blockID: id,
    block_header: {
      raw_data: {
        number,
        txTrieRoot: sha256(transactions.map((transaction) => transaction.id).join()).toString('hex'),
        witness_address: witness,
        parentHash: parentId,
        version: 31,
        timestamp: Date.parse(block.time),
      },
      witness_signature: signature,
    },
    ...(transactions.length > 0 && { transactions: transactions.map((transaction) => inBlock(transaction, block)) }),
  });
}

export function infosJson(block: SimBlock): string {
  return JSON.stringify(block.transactions.map((transaction) => info(transaction, block)));
}

function inBlock(transaction: Mined, { parentId, time }: SimBlock): object {
  const { type, value } = transaction;
  const timestamp = Date.parse(time);
  return {
    ret: [{ contractRet: transaction.blockOutcome }],
    signature: [signature],
    txID: transaction.id,
    raw_data: {
      contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
      ref_block_bytes: parentId.slice(12, 16),
      ref_block_hash: parentId.slice(16, 32),
      expiration: timestamp + validityMs,
      ...(isCall(transaction) && { fee_limit: 100_000_000 }),
      timestamp,
    },
    raw_data_hex: Buffer.from(JSON.stringify(value)).toString('hex'),
  };
}

function info(transaction: Mined, block: SimBlock): object {
  return {
    id: transaction.id,
    fee: isCall(transaction) ? 13_844_850 : 1_100_000,
    blockNumber: block.number,
    blockTimeStamp: Date.parse(block.time),
    contractResult: [isCall(transaction) ? '1'.padStart(64, '0') : ''],
    ...(isCall(transaction) ? infoOfCall(transaction) : { receipt: { net_fee: 100_000 } }),
  };
}

function infoOfCall({ value, logs, infoOutcome }: Mined): object {
  const energy = { energy_fee: 13_499_850, energy_usage_total: 64_285, net_fee: 345_000 };
  return {
    contract_address: value.contract_address,
    receipt: { ...energy, result: infoOutcome, energy_penalty_total: 49_635 },
    ...(infoOutcome !== 'SUCCESS' && { result: 'FAILED', resMessage: Buffer.from(infoOutcome).toString('hex') }),
    ...(logs.length > 0 && { log: logs.map(({ data, ...log }) => (data === '' ? log : { ...log, data })) }),
  };
}

function isCall({ type }: SimTransaction): boolean {
  return type === 'TriggerSmartContract';
}

import { parseUsdt, type UsdtText } from '@florin/kernel';
import { simulatedAddress, simulatedContract, toHex } from './simulated-address';

export type Outcome = 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY' | 'OUT_OF_TIME' | 'BAD_JUMP_DESTINATION';

/** An event as contracts emit it: all of it in hexadecimal digits, the address without its `41`. */
export interface EventLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A transaction for the simulated chain. It is plain data, so that it can also be sent to a simulator elsewhere. */
export interface SimTransaction {
  /** Given by the chain where it is missing; kept where the same transaction is mined again after a fork. */
  readonly id?: string;
  readonly type: 'TriggerSmartContract' | 'TransferContract' | 'TransferAssetContract';
  /** The contract call as it stands in a node's `raw_data.contract[0].parameter.value`. */
  readonly value: Readonly<Record<string, string | number>>;
  readonly logs: readonly EventLog[];
  /** What came of it, as the block says and as the transaction's info says. A sound node says the same twice. */
  readonly blockSays: Outcome;
  readonly infoSays: Outcome;
}

export interface TransferTerms {
  readonly to: string;
  /** Six decimals, or millionths. */
  readonly amount: UsdtText | bigint;
  readonly from?: string;
  /** The token; the simulated USDT where it is missing. */
  readonly contract?: string;
}

export const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const approvalTopic = '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const swapTopic = 'd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';

const payer = simulatedAddress('payer');
const router = simulatedAddress('router');

/** `transfer(to, amount)`, called on the token by the sender. */
export function transfer(terms: TransferTerms): SimTransaction {
  const { to, amount, from = payer, contract = simulatedContract } = terms;
  return call(from, contract, `a9059cbb${word(account(to))}${word(digits(amount))}`, [transferLog(terms)]);
}

/** `transferFrom(from, to, amount)`, called by a third party that the sender has approved. */
export function transferFrom(terms: TransferTerms & { readonly by?: string }): SimTransaction {
  const { to, amount, from = payer, contract = simulatedContract, by = simulatedAddress('third party') } = terms;
  const data = `23b872dd${word(account(from))}${word(account(to))}${word(digits(amount))}`;
  return call(by, contract, data, [transferLog(terms)]);
}

/** The transfer happens inside the call of another contract, between that contract's own events. */
export function nestedTransfer(terms: TransferTerms): SimTransaction {
  const swap: EventLog = { address: account(router), topics: [swapTopic, word(account(payer))], data: word('2a') };
  return call(payer, router, '38ed1739', [swap, transferLog(terms), swap]);
}

/** Several transfers by one transaction. */
export function manyTransfers(transfers: readonly TransferTerms[]): SimTransaction {
  return call(payer, router, '1239ec8c', transfers.map(transferLog));
}

/** An event of the token that has the very shape of a transfer, but allows one only. */
export function approval(terms: TransferTerms): SimTransaction {
  const { to, amount, from = payer, contract = simulatedContract } = terms;
  const log = { ...transferLog(terms), topics: [approvalTopic, word(account(from)), word(account(to))] };
  return call(from, contract, `095ea7b3${word(account(to))}${word(digits(amount))}`, [log]);
}

/** The chain's own coin, in millionths as well. It emits nothing. */
export function trx({ to, amount, from = payer }: TransferTerms): SimTransaction {
  const value = { amount: Number(millionths(amount)), owner_address: toHex(from), to_address: toHex(to) };
  return { type: 'TransferContract', value, logs: [], blockSays: 'SUCCESS', infoSays: 'SUCCESS' };
}

/** A token of the older kind, which has no contract. It emits nothing. */
export function trc10(terms: TransferTerms): SimTransaction {
  const asset = Buffer.from('1002000').toString('hex');
  return { ...trx(terms), type: 'TransferAssetContract', value: { ...trx(terms).value, asset_name: asset } };
}

/** Any call of a contract, with the events it emits. */
export function call(from: string, contract: string, data: string, logs: readonly EventLog[]): SimTransaction {
  const value = { data, owner_address: toHex(from), contract_address: toHex(contract) };
  return { type: 'TriggerSmartContract', value, logs, blockSays: 'SUCCESS', infoSays: 'SUCCESS' };
}

/** The same transaction, failed, and yet with its events. `where` can make the node contradict itself. */
export function failed(
  transaction: SimTransaction,
  outcome: Outcome = 'REVERT',
  where: 'everywhere' | 'block' | 'info' = 'everywhere',
): SimTransaction {
  return {
    ...transaction,
    ...(where !== 'info' && { blockSays: outcome }),
    ...(where !== 'block' && { infoSays: outcome }),
  };
}

/** The same transaction with other events. */
export function reshaped(transaction: SimTransaction, reshape: (log: EventLog) => EventLog): SimTransaction {
  return { ...transaction, logs: transaction.logs.map(reshape) };
}

function transferLog({ to, amount, from = payer, contract = simulatedContract }: TransferTerms): EventLog {
  const topics = [transferTopic, word(account(from)), word(account(to))];
  return { address: account(contract), topics, data: word(digits(amount)) };
}

/** An address as contracts know it: without `41`. */
function account(address: string): string {
  return toHex(address).slice(2);
}

function word(hex: string): string {
  return hex.padStart(64, '0');
}

function digits(amount: UsdtText | bigint): string {
  return millionths(amount).toString(16);
}

function millionths(amount: UsdtText | bigint): bigint {
  return typeof amount === 'bigint' ? amount : parseUsdt(amount);
}

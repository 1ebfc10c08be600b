import { parseUsdt, type UsdtText } from '@florin/kernel';
import { simulatedAddress, simulatedContract, toHex } from './simulated-address';

export type Outcome = 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY' | 'OUT_OF_TIME' | 'BAD_JUMP_DESTINATION';

/** A log as contracts emit it: hexadecimal digits, the address without its `41` prefix. */
export interface EventLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A transaction for the simulated chain. Plain data, so that it can be sent to a simulator in another process. */
export interface SimTransaction {
  /** Assigned by the chain if absent; kept when the transaction is mined again after a fork. */
  readonly id?: string;
  readonly type: 'TriggerSmartContract' | 'TransferContract' | 'TransferAssetContract';
  /** The node's `raw_data.contract[0].parameter.value`. */
  readonly value: Readonly<Record<string, string | number>>;
  readonly logs: readonly EventLog[];
  /** The outcome in the block and in the transaction info. A correct node reports the same twice. */
  readonly blockOutcome: Outcome;
  readonly infoOutcome: Outcome;
}

export interface TransferTerms {
  readonly to: string;
  /** Six decimals as text, or millionths as a number. */
  readonly amount: UsdtText | bigint;
  readonly from?: string;
  /** The token; the simulated USDT by default. */
  readonly contract?: string;
}

export const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const approvalTopic = '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const swapTopic = 'd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';

const payer = simulatedAddress('payer');
const router = simulatedAddress('router');

/** `transfer(to, amount)`, called by the sender. */
export function transfer(terms: TransferTerms): SimTransaction {
  const { to, amount, from = payer, contract = simulatedContract } = terms;
  return call(from, contract, `a9059cbb${word(account(to))}${word(digits(amount))}`, [transferLog(terms)]);
}

/** `transferFrom(from, to, amount)`, called by an approved third party. */
export function transferFrom(terms: TransferTerms & { readonly by?: string }): SimTransaction {
  const { to, amount, from = payer, contract = simulatedContract, by = simulatedAddress('third party') } = terms;
  const data = `23b872dd${word(account(from))}${word(account(to))}${word(digits(amount))}`;
  return call(by, contract, data, [transferLog(terms)]);
}

/** A transfer inside the call of another contract, between that contract's own logs. */
export function nestedTransfer(terms: TransferTerms): SimTransaction {
  const swap: EventLog = { address: account(router), topics: [swapTopic, word(account(payer))], data: word('2a') };
  return call(payer, router, '38ed1739', [swap, transferLog(terms), swap]);
}

/** Several transfers in one transaction. */
export function manyTransfers(transfers: readonly TransferTerms[]): SimTransaction {
  return call(payer, router, '1239ec8c', transfers.map(transferLog));
}

/** A log of the token in the shape of a transfer that only approves one. */
export function approval(terms: TransferTerms): SimTransaction {
  const { to, amount, from = payer, contract = simulatedContract } = terms;
  const log = { ...transferLog(terms), topics: [approvalTopic, word(account(from)), word(account(to))] };
  return call(from, contract, `095ea7b3${word(account(to))}${word(digits(amount))}`, [log]);
}

/** A TRX transfer, in millionths. It emits no log. */
export function trx({ to, amount, from = payer }: TransferTerms): SimTransaction {
  const value = { amount: Number(millionths(amount)), owner_address: toHex(from), to_address: toHex(to) };
  return { type: 'TransferContract', value, logs: [], blockOutcome: 'SUCCESS', infoOutcome: 'SUCCESS' };
}

/** A TRC-10 transfer, which has no contract. It emits no log. */
export function trc10(terms: TransferTerms): SimTransaction {
  const asset = Buffer.from('1002000').toString('hex');
  return { ...trx(terms), type: 'TransferAssetContract', value: { ...trx(terms).value, asset_name: asset } };
}

/** Any contract call with the logs that it emits. */
export function call(from: string, contract: string, data: string, logs: readonly EventLog[]): SimTransaction {
  const value = { data, owner_address: toHex(from), contract_address: toHex(contract) };
  return { type: 'TriggerSmartContract', value, logs, blockOutcome: 'SUCCESS', infoOutcome: 'SUCCESS' };
}

/** The same transaction as failed, with its logs. `where` lets the two responses contradict each other. */
export function failed(
  transaction: SimTransaction,
  outcome: Outcome = 'REVERT',
  where: 'everywhere' | 'block' | 'info' = 'everywhere',
): SimTransaction {
  return {
    ...transaction,
    ...(where !== 'info' && { blockOutcome: outcome }),
    ...(where !== 'block' && { infoOutcome: outcome }),
  };
}

/** The same transaction with other logs. */
export function reshaped(transaction: SimTransaction, reshape: (log: EventLog) => EventLog): SimTransaction {
  return { ...transaction, logs: transaction.logs.map(reshape) };
}

function transferLog({ to, amount, from = payer, contract = simulatedContract }: TransferTerms): EventLog {
  const topics = [transferTopic, word(account(from)), word(account(to))];
  return { address: account(contract), topics, data: word(digits(amount)) };
}

/** An address in logs: without the `41` prefix. */
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

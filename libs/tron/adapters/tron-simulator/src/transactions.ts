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

export const payer = simulatedAddress('payer');

/** `transfer(to, amount)`, called by the sender. */
export function transfer(terms: TransferTerms): SimTransaction {
  const { to, amount, from = payer, contract = simulatedContract } = terms;
  return call(from, contract, `a9059cbb${word(account(to))}${word(digits(amount))}`, [transferLog(terms)]);
}

/** Any contract call with the logs that it emits. */
export function call(from: string, contract: string, data: string, logs: readonly EventLog[]): SimTransaction {
  const value = { data, owner_address: toHex(from), contract_address: toHex(contract) };
  return { type: 'TriggerSmartContract', value, logs, blockOutcome: 'SUCCESS', infoOutcome: 'SUCCESS' };
}

export function transferLog({ to, amount, from = payer, contract = simulatedContract }: TransferTerms): EventLog {
  const topics = [transferTopic, word(account(from)), word(account(to))];
  return { address: account(contract), topics, data: word(digits(amount)) };
}

/** An address in logs: without the `41` prefix. */
export function account(address: string): string {
  return toHex(address).slice(2);
}

export function word(hex: string): string {
  return hex.padStart(64, '0');
}

export function digits(amount: UsdtText | bigint): string {
  return millionths(amount).toString(16);
}

export function millionths(amount: UsdtText | bigint): bigint {
  return typeof amount === 'bigint' ? amount : parseUsdt(amount);
}

import { simulatedAddress, simulatedContract, toHex } from '../simulated-address';
import {
  account,
  call,
  digits,
  type EventLog,
  millionths,
  type Outcome,
  payer,
  type SimTransaction,
  transferLog,
  type TransferTerms,
  word,
} from '../transactions';

const approvalTopic = '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const swapTopic = 'd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';

const router = simulatedAddress('router');

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

import { applyRate, formatMoney, type MoneyText, parseMoney } from '@florin/kernel';
import type { OperationType } from '../operation/operation.messages';
import type { Product, Quote } from './product.messages';

/** What an operation costs. Undefined when the product cannot be ordered so. */
export function quoteOf(product: Product, type: OperationType, amount: MoneyText): Quote | undefined {
  const terms = product.fee[type];
  if (terms === undefined) return undefined;
  const wanted = parseMoney(amount);
  const fixedFee = parseMoney(terms.fixed);
  // In the notation of powers of ten, a percentage becomes a rate without any arithmetic: 0.2 % is 0.2e-2.
  const percentFee = applyRate(wanted, `${terms.percent}e-2`);
  const fee = fixedFee + percentFee;
  return {
    amount,
    fee: formatMoney(fee),
    total: formatMoney(wanted + fee),
    breakdown: [
      { kind: 'amount', amount },
      { kind: 'fixed_fee', amount: terms.fixed },
      { kind: 'percent_fee', amount: formatMoney(percentFee) },
    ],
  };
}

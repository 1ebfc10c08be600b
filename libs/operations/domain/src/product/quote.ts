import { applyRate, formatMoney, type MoneyText, parseMoney } from '@florin/kernel';
import type { PricedType } from '../operation/operation.messages';
import type { Product, Quote } from './product.messages';

/** An unload is free. */
export function quoteOfUnload(amount: MoneyText): Quote {
  return { amount, fee: '0.00', total: amount, breakdown: [{ kind: 'amount', amount }] };
}

/** The price of an operation. Undefined if the product does not offer the type. */
export function quoteOf(product: Product, type: PricedType, amount: MoneyText): Quote | undefined {
  const terms = product.fee[type];
  if (terms === undefined) return undefined;
  const wanted = parseMoney(amount);
  const fixedFee = parseMoney(terms.fixed);
  // An exponent turns a percentage into a rate without arithmetic: 0.2 % is 0.2e-2.
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

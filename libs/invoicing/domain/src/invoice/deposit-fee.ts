import { applyRate, formatMoney, type MoneyText, parseMoney } from '@florin/kernel';

/** The fee rate, rounded half-up to the cent. */
const depositRate = '0.015';

export interface DepositTerms {
  readonly depositAmount: MoneyText;
  readonly fee: MoneyText;
  /** The deposit minus the fee. */
  readonly creditAmount: MoneyText;
}

export function depositTerms(depositAmount: MoneyText): DepositTerms {
  const amount = parseMoney(depositAmount);
  const fee = applyRate(amount, depositRate);
  return { depositAmount, fee: formatMoney(fee), creditAmount: formatMoney(amount - fee) };
}

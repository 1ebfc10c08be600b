import type { CardCommand, CardPayment } from '@florin/operations-domain';
import { transactionStatuses, transactionTypes } from '@florin/operations-domain';
import fc from 'fast-check';
import { acme, acmeLive, ida, idOf, type Owner } from '../../testing/owners';

export const createdAt = '2030-01-01T09:59:59.999Z';
export const occurredAt = '2030-01-01T12:00:00.001Z';

const accountIdOf = ({ companyId, environment }: Owner): string => `${companyId}-${environment}`;

type Issue = Extract<CardCommand, { type: 'IssueCard' }>;

export function issue(number: number, owner: Owner, details: Partial<Issue['data']> = {}): Issue {
  return {
    type: 'IssueCard',
    data: {
      ...{
        cardId: idOf('card', number),
        ...owner,
        accountId: accountIdOf(owner),
        operationId: idOf('operation', number),
      },
      ...{ holderId: idOf('holder', 1), productId: 'virtual-usd', name: 'Travel', last4: '4242', amount: '100.00' },
      createdAt,
      ...details,
    },
  };
}

export const topUp = (number: number, operation: number, amount: string): CardCommand => ({
  type: 'TopUpCard',
  data: { cardId: idOf('card', number), operationId: idOf('operation', operation), amount },
});

export const changeStatus = (
  type: 'FreezeCard' | 'UnfreezeCard' | 'CloseCard',
  number: number,
  owner: Owner,
  requestId: string = type,
): CardCommand => ({ type, data: { cardId: idOf('card', number), accountId: accountIdOf(owner), requestId } });

export function report(
  number: number,
  owner: Owner,
  payment: number,
  details: Partial<CardPayment> = {},
): Extract<CardCommand, { type: 'ReportPayment' }> {
  return {
    type: 'ReportPayment',
    data: {
      ...{ cardId: idOf('card', number), accountId: accountIdOf(owner) },
      payment: {
        ...{ transactionId: idOf('payment', payment), reference: `txn-${payment}`, type: 'purchase' },
        ...{ status: 'completed', amount: '12.50', currency: 'USD', merchant: 'Coffee "House", {1}', country: 'NL' },
        ...{ description: 'Two espressos', occurredAt },
        ...details,
      },
    },
  };
}

const owners: readonly Owner[] = [acme, acmeLive, ida];

/** Few cards and payments, to provoke repeats, later reports and refusals. */
const command = fc
  .record({
    card: fc.nat({ max: 3 }),
    step: fc.nat({ max: 11 }),
    payment: fc.nat({ max: 4 }),
    status: fc.constantFrom(...transactionStatuses),
    text: fc.constantFrom('plain', 'a\0b', '\ud800 {"}', ''),
  })
  .map(({ card, step, payment, status, text }): CardCommand => {
    const owner = owners[card % owners.length]!;
    if (step <= 1) return issue(card, owner, { name: text, cardReference: card === 1 ? 'crd' : undefined });
    if (step === 2) return topUp(card, 100 + payment, `${payment + 1}.01`);
    if (step === 3) return changeStatus('FreezeCard', card, owner, `f${payment}`);
    if (step <= 5) return changeStatus('UnfreezeCard', card, owner, `u${payment}`);
    if (step === 6 && payment === 0) return changeStatus('CloseCard', card, owner);
    const type = transactionTypes[payment % transactionTypes.length]!;
    return report(card, owner, card * 10 + payment, { type, status, description: text });
  });

export const cardCommands = fc.array(command, { minLength: 40, maxLength: 160, size: 'max' });

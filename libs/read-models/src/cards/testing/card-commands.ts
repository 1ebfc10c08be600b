import type { ChangeCard, CardCommand, CardPayment, Order } from '@florin/operations-domain';
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

/** Takes money off the card: with `CaptureUnload` after `ReserveUnload`. */
export function unload(
  type: 'ReserveUnload' | 'CaptureUnload' | 'ReleaseUnload',
  number: number,
  owner: Owner,
  operation: number,
  amount = '100.00',
): CardCommand {
  const cardId = idOf('card', number);
  const operationId = idOf('operation', operation);
  if (type !== 'ReserveUnload') return { type, data: { cardId, operationId } };
  const accountId = accountIdOf(owner);
  const order: Order = {
    ...{
      operationId,
      ...owner,
      accountId,
      type: 'unload',
      productId: 'virtual-usd',
      amount,
      fee: '0.00',
      total: amount,
    },
    ...{ cardId, fingerprint: 'f', createdAt },
  };
  return { type, data: { cardId, accountId, operationId, amount, order, requestedAt: createdAt } };
}

const topup = (type: 'StartTopup' | 'CancelTopup', number: number, operation: number): CardCommand => {
  const data = { cardId: idOf('card', number), operationId: idOf('operation', operation) };
  return type === 'CancelTopup' ? { type, data } : { type, data: { ...data, amount: '1.00' } };
};

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

/** A card that is used for nothing else, because only an empty one can be closed. */
function emptiedAndClosed(card: number): readonly CardCommand[] {
  const [reserve, capture] = (['ReserveUnload', 'CaptureUnload'] as const).map((type) => unload(type, card, ida, 300));
  return [issue(card, ida), reserve!, capture!, changeStatus('CloseCard', card, ida)];
}

const lastStepOfFirstRelease = 11;

/** Mostly activations, because little happens on a blocked card. */
function reportStatus(card: number, owner: Owner, number: number, part: number): CardCommand {
  const status = (['blocked', 'active', 'active', 'active', part === 5 ? 'expired' : 'active'] as const)[number]!;
  const data = { cardId: idOf('card', card), accountId: accountIdOf(owner), requestId: `s${number}-${part}`, status };
  return { type: 'ReportCardStatus', data: { ...data, requestedAt: createdAt } };
}

function change(card: number, owner: Owner, part: number): CardCommand {
  const changes: Partial<ChangeCard['data']> = [
    ...[{ name: 'Team' }, { metadata: { a: 'b' } }, { metadata: {} }, { limits: { daily: '50.00' } }],
    ...[
      { limits: { daily: null, countries: { allow: ['NL', 'DE'] } } },
      { name: 'Sales', limits: { countries: null } },
    ],
  ][part]!;
  const data = { cardId: idOf('card', card), accountId: accountIdOf(owner), requestId: `p${part}` };
  return { type: 'ChangeCard', data: { ...data, requestedAt: createdAt, ...changes } };
}

/** Clears part of a payment, for more than authorized now and then. */
function clearing(card: number, payment: number, part: number): CardCommand {
  const amount = `${part * 4 + 1}.25`;
  const details = { clearingId: `${card}-${payment}-${part}`, final: part > 2, amount };
  const type = transactionTypes[payment % transactionTypes.length]!;
  return report(card, owners[card % owners.length]!, card * 10 + payment, { type, amount, clearing: details });
}

/** Few cards and payments, to provoke repeats, later reports and refusals. */
const commands = (lastStep: number) =>
  fc
    .record({
      card: fc.nat({ max: 3 }),
      step: fc.nat({ max: lastStep }),
      payment: fc.nat({ max: 4 }),
      part: fc.nat({ max: 5 }),
      status: fc.constantFrom(...transactionStatuses),
      text: fc.constantFrom('plain', 'a\0b', '\ud800 {"}', ''),
    })
    .map(({ card, step, payment, part, status, text }): readonly CardCommand[] => {
      const owner = owners[card % owners.length]!;
      if (step <= 1) return [issue(card, owner, { name: text, cardReference: card === 1 ? 'crd' : undefined })];
      if (step === 2) return [topUp(card, 100 + payment, `${payment + 1}.01`)];
      if (step === 3) return [changeStatus('FreezeCard', card, owner, `f${payment}`)];
      if (step <= 5) return [changeStatus('UnfreezeCard', card, owner, `u${payment}`)];
      if (step === 6 && payment === 0) return emptiedAndClosed(9);
      if (step === 12) return [unload('ReserveUnload', card, owner, 200 + payment, `${payment + 1}.02`)];
      if (step === 13) return [unload(payment > 2 ? 'CaptureUnload' : 'ReleaseUnload', card, owner, 200 + payment)];
      if (step === 14) return [topup(payment > 2 ? 'StartTopup' : 'CancelTopup', card, 400 + payment)];
      if (step === 15) return [reportStatus(card, owner, payment, part)];
      if (step === 16) return [change(card, owner, part)];
      if (step > 16) return [clearing(card, payment, part)];
      const type = transactionTypes[payment % transactionTypes.length]!;
      return [report(card, owner, card * 10 + payment, { type, status, description: text })];
    });

const listOf = (lastStep: number) =>
  fc.array(commands(lastStep), { minLength: 40, maxLength: 160, size: 'max' }).map((list) => list.flat());

export const cardCommands = listOf(19);
/** Only the card that is closed has been unloaded, before its last event. */
export const firstReleaseCommands = listOf(lastStepOfFirstRelease);

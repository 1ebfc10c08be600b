import { specFor } from '@florin/event-sourcing/testing';
import { cardAnswer, cardAggregate } from './card.decider';
import {
  type CardClosed,
  type CardCommand,
  type CardEvent,
  type CardFrozen,
  type CardIssued,
  type CardRefusal,
  type CardToppedUp,
  type CardUnfrozen,
  type IssueCard,
  type TopUpCard,
} from './card.messages';

const { given } = specFor(cardAggregate);
const accountId = 'acme-sandbox';
const owner = { cardId: 'c1', companyId: 'acme', environment: 'sandbox' } as const;

const facts: IssueCard['data'] = {
  ...owner,
  accountId,
  operationId: 'op1',
  holderId: 'h1',
  productId: 'virtual',
  name: 'Travel',
  last4: '4242',
  cardReference: 'issuer-1',
  amount: '100.00',
  createdAt: '2030-01-01T00:00:00.000Z',
};
const issue = (changes: Partial<IssueCard['data']> = {}): IssueCard => ({
  type: 'IssueCard',
  data: { ...facts, ...changes },
});
const issued: CardIssued = { type: 'CardIssued', data: facts };

const topUp = (operationId: string, amount: string): TopUpCard => ({
  type: 'TopUpCard',
  data: { cardId: 'c1', operationId, amount },
});
const toppedUp = (operationId: string, amount: string, balance: string): CardToppedUp => ({
  type: 'CardToppedUp',
  data: { ...owner, operationId, amount, after: { balance, available: balance } },
});

const request = <Type extends 'FreezeCard' | 'UnfreezeCard' | 'CloseCard'>(type: Type, requestId: string) =>
  ({ type, data: { cardId: 'c1', accountId, requestId } }) as const;
const change = (requestId: string) => ({ ...owner, requestId, after: { balance: '100.00', available: '100.00' } });
const frozen = (requestId: string): CardFrozen => ({ type: 'CardFrozen', data: change(requestId) });
const unfrozen = (requestId: string): CardUnfrozen => ({ type: 'CardUnfrozen', data: change(requestId) });
const closed = (requestId: string): CardClosed => ({ type: 'CardClosed', data: change(requestId) });

describe('IssueCard', () => {
  it('creates an active card with the ordered balance', () => {
    given().when(issue()).then(issued);
    const state = cardAggregate.evolve(cardAggregate.initialState(), issued);
    expect(cardAnswer(state)).toEqual({
      cardId: 'c1',
      name: 'Travel',
      holderId: 'h1',
      last4: '4242',
      status: 'active',
      balance: '100.00',
      available: '100.00',
      limits: {},
      metadata: {},
      productId: 'virtual',
      createdAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('is idempotent when the operation resumes after a crash, even if the card has changed', () => {
    given(issued, frozen('r1'), toppedUp('op2', '50.00', '150.00'))
      .when(issue())
      .then();
    given(issued, closed('r1'))
      .when(issue({ createdAt: '2030-01-02T00:00:00.000Z', name: 'Renamed' }))
      .then();
  });

  it.each<Partial<IssueCard['data']>>([
    { operationId: 'op2' },
    { accountId: 'other-sandbox' },
    { holderId: 'h2' },
    { productId: 'plastic' },
    { amount: '100.01' },
  ])('refuses %j under the same id', (changes) => {
    given(issued).when(issue(changes)).thenRefused('card_exists');
  });

  it('throws on a zero amount', () => {
    given()
      .when(issue({ amount: '0.00' }))
      .thenThrows(/Invariant/);
  });
});

describe('TopUpCard', () => {
  it('adds the amount once per operation', () => {
    given(issued)
      .when(topUp('op2', '50.00'))
      .then(toppedUp('op2', '50.00', '150.00'));
    given(issued, toppedUp('op2', '50.00', '150.00'))
      .when(topUp('op3', '0.01'))
      .then(toppedUp('op3', '0.01', '150.01'));
    given(issued, toppedUp('op2', '50.00', '150.00'), toppedUp('op3', '0.01', '150.01'))
      .when(topUp('op2', '50.00'))
      .then();
  });

  it.each<[string, CardEvent]>([
    ['frozen', frozen('r1')],
    ['closed', closed('r1')],
  ])('succeeds on a %s card because the money has already moved', (_status, event) => {
    given(issued, event)
      .when(topUp('op2', '50.00'))
      .then(toppedUp('op2', '50.00', '150.00'));
  });

  it('throws on a different amount for the same operation and on a zero amount', () => {
    given(issued, toppedUp('op2', '50.00', '150.00'))
      .when(topUp('op2', '60.00'))
      .thenThrows(/Invariant.*op2/);
    given(issued)
      .when(topUp('op2', '0.00'))
      .thenThrows(/Invariant/);
  });

  it('refuses an unknown card', () => {
    given().when(topUp('op2', '50.00')).thenRefused('not_found');
  });
});

describe('A status change', () => {
  it('freezes and unfreezes the card', () => {
    given(issued).when(request('FreezeCard', 'r1')).then(frozen('r1'));
    given(issued, frozen('r1')).when(request('UnfreezeCard', 'r2')).then(unfrozen('r2'));
  });

  it('is recorded even if the card already has the status, so a late duplicate does not undo a newer change', () => {
    given(issued, frozen('r1')).when(request('FreezeCard', 'r2')).then(frozen('r2'));
    given(issued).when(request('UnfreezeCard', 'r1')).then(unfrozen('r1'));
    given(issued, unfrozen('r1'), frozen('r2')).when(request('UnfreezeCard', 'r1')).then();
  });

  it('is applied once: a late repeat does not undo a newer change', () => {
    given(issued, frozen('r1'), unfrozen('r2')).when(request('FreezeCard', 'r1')).then();
    given(issued, frozen('r1'), unfrozen('r2'), frozen('r3')).when(request('UnfreezeCard', 'r2')).then();
    given(issued, frozen('r1'), closed('r2')).when(request('FreezeCard', 'r1')).then();
  });

  const foreign = (type: 'FreezeCard' | 'UnfreezeCard' | 'CloseCard'): CardCommand => ({
    type,
    data: { cardId: 'c1', accountId: 'acme-live', requestId: 'r1' },
  });
  it.each<[string, readonly CardEvent[], CardCommand, CardRefusal]>([
    ['for an unknown card', [], request('FreezeCard', 'r1'), 'not_found'],
    ["for another account's card", [issued], foreign('FreezeCard'), 'not_found'],
    ['for another account that repeats a known request id', [issued, frozen('r1')], foreign('FreezeCard'), 'not_found'],
    [
      'as not found for another account before the status is checked',
      [issued, closed('r9')],
      foreign('UnfreezeCard'),
      'not_found',
    ],
    ['when it freezes a closed card', [issued, closed('r1')], request('FreezeCard', 'r2'), 'card_not_active'],
    ['when it unfreezes a closed card', [issued, closed('r1')], request('UnfreezeCard', 'r2'), 'card_not_active'],
  ])('is refused %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });
});

describe('A card', () => {
  it('returns its current status and balance', () => {
    const past = [issued, toppedUp('op2', '50.00', '150.00'), frozen('r1')];
    const state = past.reduce(cardAggregate.evolve, cardAggregate.initialState());
    expect(cardAnswer(state)).toMatchObject({ status: 'frozen', balance: '150.00' });
    expect(() => cardAnswer(undefined)).toThrow(/Invariant/);
  });

  it('returns the original status and balance to a repeated request', () => {
    const past = [issued, frozen('r1'), toppedUp('op2', '50.00', '150.00'), unfrozen('r2')];
    const state = past.reduce(cardAggregate.evolve, cardAggregate.initialState());
    expect(cardAnswer(state, request('FreezeCard', 'r1'))).toMatchObject({ status: 'frozen', balance: '100.00' });
    expect(cardAnswer(state, request('UnfreezeCard', 'r2'))).toMatchObject({ status: 'active', balance: '150.00' });
  });

  it('throws on an event that precedes CardIssued', () => {
    expect(() => cardAggregate.evolve(undefined, frozen('r1'))).toThrow(/precedes the CardIssued/);
  });
});

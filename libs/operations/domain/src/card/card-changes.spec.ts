import { specFor } from '@florin/event-sourcing/testing';
import { cardAggregate, cardAnswer } from './card.decider';
import type {
  CardEvent,
  CardIssued,
  CardRefusal,
  CardStatusReported,
  ChangeCard,
  ReportCardStatus,
  ReportedCardStatus,
} from './card.messages';

const { given } = specFor(cardAggregate);
const accountId = 'acme-sandbox';
const owner = { cardId: 'c1', companyId: 'acme', environment: 'sandbox' } as const;
const at = (minute: number): string => `2030-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
const after = { balance: '100.00', available: '100.00' };

const issued: CardIssued = {
  type: 'CardIssued',
  data: {
    ...{ ...owner, accountId, operationId: 'op1', holderId: 'h1', productId: 'virtual', name: 'Travel' },
    ...{ last4: '4242', amount: '100.00', createdAt: at(0) },
  },
};
const pending: CardIssued = { ...issued, data: { ...issued.data, status: 'pending' } };
const frozen: CardEvent = { type: 'CardFrozen', data: { ...owner, requestId: 'f1', requestedAt: at(1), after } };
const closed: CardEvent = { type: 'CardClosed', data: { ...owner, requestId: 'x1', requestedAt: at(1), after } };

const report = (status: ReportedCardStatus, requestId: string, minute = 5, occurredAt?: string): ReportCardStatus => ({
  type: 'ReportCardStatus',
  data: { cardId: 'c1', accountId, requestId, requestedAt: at(minute), status, occurredAt },
});
const reported = (
  type: CardStatusReported['type'],
  status: CardStatusReported['data']['status'],
  requestId: string,
  minute = 5,
  occurredAt?: string,
): CardStatusReported => ({
  type,
  data: { ...owner, requestId, requestedAt: at(minute), status, after, ...(occurredAt && { occurredAt }) },
});
const blocked = reported('CardBlocked', 'blocked', 'b1');
const expired = reported('CardExpired', 'expired', 'e1');

describe('A report about the status of a card', () => {
  it('activates a pending card', () => {
    given(pending)
      .when(report('active', 'r1'))
      .then(reported('CardActivated', 'active', 'r1'));
    given(issued)
      .when(report('active', 'r1'))
      .then(reported('CardActivated', 'active', 'r1'));
  });

  it('blocks a card, and unblocks it to what it was', () => {
    given(issued).when(report('blocked', 'b1')).then(blocked);
    given(issued, blocked)
      .when(report('active', 'r1', 6))
      .then(reported('CardUnblocked', 'active', 'r1', 6));
    given(pending, blocked)
      .when(report('active', 'r1', 6))
      .then(reported('CardUnblocked', 'active', 'r1', 6));
    given(issued, frozen, blocked, reported('CardBlocked', 'blocked', 'b2', 6))
      .when(report('active', 'r1', 7))
      .then(reported('CardUnblocked', 'frozen', 'r1', 7));
  });

  it('does not unfreeze a card that the company has frozen', () => {
    given(issued, frozen)
      .when(report('active', 'r1'))
      .then(reported('CardActivated', 'frozen', 'r1'));
  });

  it.each<[string, readonly CardEvent[]]>([
    ['pending', [pending]],
    ['active', [issued]],
    ['frozen', [issued, frozen]],
    ['blocked', [issued, blocked]],
    ['expired', [issued, expired]],
  ])('expires a card that is %s', (_status, past) => {
    given(...past)
      .when(report('expired', 'e2', 6))
      .then(reported('CardExpired', 'expired', 'e2', 6));
  });

  it('changes nothing when it is repeated after a newer one', () => {
    given(issued, blocked, reported('CardUnblocked', 'active', 'r1', 6))
      .when(report('blocked', 'b1'))
      .then();
  });

  it('changes nothing if the issuer reported something newer before', () => {
    const newest = reported('CardBlocked', 'blocked', 'b2', 5, at(4));
    given(issued, newest)
      .when(report('active', 'late', 6, at(3)))
      .then();
    given(issued, newest)
      .when(report('active', 'r2', 6, at(5)))
      .then(reported('CardUnblocked', 'active', 'r2', 6, at(5)));
  });

  it.each<[string, readonly CardEvent[], ReportCardStatus, CardRefusal]>([
    ['active, of an expired card', [issued, expired], report('active', 'r1', 6), 'card_not_active'],
    ['blocked, of an expired card', [issued, expired], report('blocked', 'r1', 6), 'card_not_active'],
    ['active, of a closed card', [issued, closed], report('active', 'r1', 6), 'card_not_active'],
    ['expired, of a closed card', [issued, closed], report('expired', 'r1', 6), 'card_not_active'],
    ['about no card', [], report('blocked', 'r1'), 'not_found'],
  ])('is refused: %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it.each<[string, readonly CardEvent[]]>([
    ['pending', [pending]],
    ['blocked', [issued, blocked]],
    ['expired', [issued, expired]],
  ])('keeps a card that is %s from being frozen', (_status, past) => {
    given(...past)
      .when({ type: 'FreezeCard', data: { cardId: 'c1', accountId, requestId: 'f2', requestedAt: at(7) } })
      .thenRefused('card_not_active');
  });
});

describe('ChangeCard', () => {
  const change = (facts: Partial<ChangeCard['data']>, requestId = 'p1', minute = 5): ChangeCard => ({
    type: 'ChangeCard',
    data: { cardId: 'c1', accountId, requestId, requestedAt: at(minute), ...facts },
  });
  const changed = (facts: object, requestId = 'p1', minute = 5): CardEvent => ({
    type: 'CardChanged',
    data: { ...owner, requestId, requestedAt: at(minute), after, ...facts },
  });

  it('changes only what it names', () => {
    given(issued)
      .when(change({ name: 'Team' }))
      .then(changed({ name: 'Team' }));
    const metadata = { team: 'sales' };
    given(issued, changed({ name: 'Team' }))
      .when(change({ metadata }, 'p2', 6))
      .then(changed({ metadata }, 'p2', 6));
    const past = [issued, changed({ name: 'Team' }), changed({ metadata }, 'p2', 6)];
    const state = past.reduce(cardAggregate.evolve, cardAggregate.initialState());
    expect(cardAnswer(state)).toMatchObject({ name: 'Team', metadata, limits: {} });
  });

  it('adds limits to the others, and removes one by null', () => {
    const limits = { daily: '50.00', countries: { allow: ['NL'] } };
    given(issued).when(change({ limits })).then(changed({ limits }));
    given(issued, changed({ limits }))
      .when(change({ limits: { countries: null, monthly: '90.00', perTransaction: null } }, 'p2', 6))
      .then(changed({ limits: { daily: '50.00', monthly: '90.00' } }, 'p2', 6));
  });

  it('is applied once: a late repeat does not undo a newer change', () => {
    given(issued, changed({ name: 'One' }), changed({ name: 'Two' }, 'p2', 6))
      .when(change({ name: 'One' }))
      .then();
  });

  it('is refused for a foreign card', () => {
    given(issued)
      .when(change({ accountId: 'ida-sandbox', name: 'Mine' }))
      .thenRefused('not_found');
  });
});

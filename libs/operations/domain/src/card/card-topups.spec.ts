import { specFor } from '@florin/event-sourcing/testing';
import { cardAggregate } from './card.decider';
import type { CancelTopup, CardToppedUp, StartTopup, TopUpCard, TopupCanceled, TopupStarted } from './card.messages';
import { issued, owner, statusEvent } from './testing/sample-card';

const { given } = specFor(cardAggregate);

const topup = { cardId: 'c1', operationId: 'op1', amount: '50.00' };
const start: StartTopup = { type: 'StartTopup', data: topup };
const topUp: TopUpCard = { type: 'TopUpCard', data: topup };
const cancel: CancelTopup = { type: 'CancelTopup', data: { cardId: 'c1', operationId: 'op1' } };
const started: TopupStarted = { type: 'TopupStarted', data: { ...owner, operationId: 'op1', amount: '50.00' } };
const canceled: TopupCanceled = { type: 'TopupCanceled', data: { ...owner, operationId: 'op1' } };
const toppedUp: CardToppedUp = {
  type: 'CardToppedUp',
  data: { ...owner, operationId: 'op1', amount: '50.00', after: { balance: '150.00', available: '150.00' } },
};

describe('StartTopup', () => {
  it('records the top-up once', () => {
    given(issued).when(start).then(started);
    given(issued, started).when(start).then();
    given(issued, started, toppedUp).when(start).then();
  });

  it('refuses a card that is not active, but repeats a start from before', () => {
    given(issued, statusEvent('CardFrozen', '100.00')).when(start).thenRefused('card_not_active');
    given(issued, started, statusEvent('CardFrozen', '100.00')).when(start).then();
    given().when(start).thenRefused('not_found');
  });

  it('refuses a canceled top-up, however late it arrives', () => {
    given(issued, started, canceled).when(start).thenRefused('topup_canceled');
    given(issued, canceled).when(start).thenRefused('topup_canceled');
  });
});

describe('CancelTopup', () => {
  it('ends a started top-up', () => {
    given(issued, started).when(cancel).then(canceled);
    given(issued, started, canceled).when(cancel).then();
  });

  it('is recorded for a top-up that was not started, because its start may be on the way', () => {
    given(issued).when(cancel).then(canceled);
  });

  it('throws if the card was topped up', () => {
    given(issued, started, toppedUp)
      .when(cancel)
      .thenThrows(/Invariant/);
  });
});

describe('TopUpCard', () => {
  it('ends a started top-up, and accepts one of the first release that was not started', () => {
    given(issued, started).when(topUp).then(toppedUp);
    given(issued).when(topUp).then(toppedUp);
  });

  it('throws on a canceled top-up and on another amount than that of the start', () => {
    given(issued, canceled)
      .when(topUp)
      .thenThrows(/Invariant/);
    const other: TopUpCard = { type: 'TopUpCard', data: { ...topup, amount: '60.00' } };
    given(issued, started)
      .when(other)
      .thenThrows(/Invariant/);
  });
});

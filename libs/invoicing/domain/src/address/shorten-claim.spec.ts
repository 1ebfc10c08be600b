import { specFor } from '@florin/event-sourcing/testing';
import { addressAggregate } from './address.decider';
import type { AddressEvent, CloseClaims, ShortenClaim } from './address.messages';
import { address, claim, claimed, expiresAt, lost, matched, recording, watchedUntil } from './testing/sample-address';

const { given } = specFor(addressAggregate, { lastingFacts: ['CloseClaims'] });

const canceledAt = '2030-01-01T12:20:00.000Z';
const before = { blockTime: '2030-01-01T12:19:59.999Z' };
const shorten = (at = canceledAt): ShortenClaim => {
  return { type: 'ShortenClaim', data: { address, invoiceId: 'i1', expiresAt: at } };
};
const shortened: AddressEvent = { type: 'ClaimShortened', data: { address, invoiceId: 'i1', expiresAt: canceledAt } };
const close = (readTo: string): CloseClaims => ({ type: 'CloseClaims', data: { address, readTo } });
const freed: AddressEvent = { type: 'AmountsFreed', data: { address, readTo: watchedUntil } };

describe('ShortenClaim', () => {
  it('moves the expiry of an open claim forward, never back', () => {
    given(claimed()).when(shorten()).then(shortened);
    given(claimed()).when(shorten(expiresAt)).then();
    given(claimed(), shortened).when(shorten('2030-01-01T12:40:00.000Z')).then();
  });

  it('changes nothing after the end of the claim', () => {
    given(claimed(), matched()).when(shorten()).then();
    given(claimed(), lost).when(shorten()).then();
    given(claimed(), lost, freed).when(shorten()).then();
    given().when(shorten()).then();
  });
});

describe('A shortened claim', () => {
  it('is lost once the chain was read up to its new expiry', () => {
    const { accountId, invoiceId } = claim;
    given(claimed(), shortened).when(close(before.blockTime)).then();
    given(claimed(), shortened)
      .when(close(canceledAt))
      .then({ type: 'ClaimLost', data: { address, invoiceId, accountId, readTo: canceledAt } });
  });

  it('is paid in time before its new expiry, and late from then on', () => {
    given(claimed(), shortened).when(recording(before)).then(matched(before));
    const at = { blockTime: canceledAt };
    given(claimed(), shortened).when(recording(at)).then(matched(at, true));
  });

  it('keeps its amount until the end of the watch period', () => {
    given(claimed(), shortened, lost).when(close('2030-01-08T12:59:59.999Z')).then();
    given(claimed(), shortened, lost).when(close(watchedUntil)).then(freed);
  });
});

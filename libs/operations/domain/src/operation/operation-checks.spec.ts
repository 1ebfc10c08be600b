import { maximumCardBalance } from '../card/card-payments';
import type { Product } from '../product/product.messages';
import { type CheckRefusal, checkRequest, type RequestFacts } from './operation-checks';
import type { OperationType } from './operation.messages';
import type { OperationRequest } from './request.messages';
import { issueOrder as order } from './testing/sample-operation';

interface Case {
  readonly request: OperationRequest;
  readonly facts: RequestFacts;
}

const product: Product = {
  productId: 'virtual',
  kind: 'card',
  name: 'Virtual card',
  currency: 'USD',
  fee: { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } },
  minimumAmount: '10.00',
  available: true,
};
const advice: Product = {
  ...product,
  productId: 'advice',
  kind: 'service',
  fee: { service: { fixed: '0.00', percent: '0' } },
  minimumAmount: '0.00',
};
const shared = {
  companyId: 'acme',
  companyKind: 'corporate',
  environment: 'sandbox',
  accountId: 'acme-sandbox',
  productId: 'virtual',
  amount: '100.00',
  fingerprint: 'f1',
} as const;
const minimums = { issue: '10.00', topup: '10.00' };
const card = { accountId: 'acme-sandbox', status: 'active', productId: 'virtual', balance: 0n, available: 0n } as const;
const loadedCard = { ...card, balance: 12_000n, available: 10_000n } as const;

/** Valid requests. */
const sound: Readonly<Record<OperationType, Case>> = {
  issue: {
    request: { ...shared, type: 'issue', holderId: 'h1', expectedTotal: '103.20' },
    facts: { product, holder: { status: 'active' }, minimums },
  },
  topup: {
    request: { ...shared, type: 'topup', cardId: 'c1', expectedTotal: '100.20' },
    facts: { product, card, minimums },
  },
  service: {
    request: { ...shared, type: 'service', productId: 'advice', recipient: 'Ida', expectedTotal: '100.00' },
    facts: { product: advice, minimums },
  },
  unload: {
    request: { ...shared, type: 'unload', productId: undefined, cardId: 'c1', expectedTotal: '100.00' },
    facts: { card: loadedCard, minimums },
  },
};

type Spoil = (sound: Case) => Case;
const facts =
  (changes: (facts: RequestFacts) => Partial<RequestFacts>): Spoil =>
  (one) => ({ ...one, facts: { ...one.facts, ...changes(one.facts) } });
const request =
  (changes: Partial<OperationRequest>): Spoil =>
  (one) => ({ ...one, request: { ...one.request, ...changes } });

const knownOtherwise = facts(() => ({ known: { ...order, fingerprint: 'f0' } }));
const unavailable = facts((now) => ({ product: { ...now.product!, available: false } }));
const otherTotal = request({ expectedTotal: '1.00' });
const foreignCard = facts((now) => ({ card: { ...card, ...now.card, accountId: 'acme-live' } }));
const otherProduct = facts((now) => ({ card: { ...card, ...now.card, productId: 'plastic' } }));
const frozenCard = facts((now) => ({ card: { ...card, ...now.card, status: 'frozen' } }));

const fullCard = facts((now) => ({ card: { ...card, ...now.card, balance: maximumCardBalance } }));

/** The violations of each type, in order of precedence. */
const violations: Readonly<Record<OperationType, readonly (readonly [CheckRefusal, Spoil])[]>> = {
  issue: [
    ['not_found', facts(() => ({ holder: undefined }))],
    ['idempotency_conflict', knownOtherwise],
    ['product_unavailable', unavailable],
    ['quote_changed', otherTotal],
    ['amount_below_minimum', request({ amount: '9.99', expectedTotal: '13.01' })],
    ['holder_not_active', facts(() => ({ holder: { status: 'pending' } }))],
  ],
  topup: [
    ['not_found', foreignCard],
    ['idempotency_conflict', knownOtherwise],
    ['product_unavailable', unavailable],
    ['quote_changed', otherTotal],
    ['amount_below_minimum', request({ amount: '9.99', expectedTotal: '10.01' })],
    ['validation_failed', otherProduct],
    ['card_not_active', frozenCard],
    ['validation_failed', fullCard],
  ],
  service: [
    ['idempotency_conflict', knownOtherwise],
    ['product_unavailable', unavailable],
    ['quote_changed', otherTotal],
    ['amount_below_minimum', request({ amount: '0.00', expectedTotal: '0.00' })],
  ],
  unload: [
    ['not_found', foreignCard],
    ['idempotency_conflict', knownOtherwise],
    ['quote_changed', otherTotal],
    ['amount_below_minimum', request({ amount: '0.00', expectedTotal: '0.00' })],
    ['card_not_active', facts((now) => ({ card: { ...loadedCard, ...now.card, status: 'pending' } }))],
    ['insufficient_card_balance', facts((now) => ({ card: { ...loadedCard, ...now.card, available: 9_999n } }))],
  ],
};

const types = ['issue', 'topup', 'service', 'unload'] as const;
const check = ({ request: requested, facts: known }: Case) => checkRequest(requested, known);

describe.each(types)('The checks of a request of type %s', (type) => {
  const table = violations[type];
  const pairs = table.flatMap(([first, spoilFirst], index) =>
    table.slice(index + 1).map(([second, spoilSecond]) => ({ first, second, spoilFirst, spoilSecond })),
  );

  it.each(table)('report %s', (code, spoil) => {
    expect(check(spoil(sound[type]))).toMatchObject({ refused: code });
  });

  it.each(pairs)('report $first before $second', ({ first, spoilFirst, spoilSecond }) => {
    expect(check(spoilFirst(spoilSecond(sound[type])))).toMatchObject({ refused: first });
  });
});

describe('A valid request', () => {
  it.each([
    ['issue', '3.20', '103.20'],
    ['topup', '0.20', '100.20'],
    ['service', '0.00', '100.00'],
    ['unload', '0.00', '100.00'],
  ] as const)('of type %s has a quote', (type, fee, total) => {
    expect(check(sound[type])).toMatchObject({ quote: { amount: '100.00', fee, total } });
  });

  it.each(types)('returns its first order when repeated, even if it is no longer valid: %s', (type) => {
    const repeat = facts(() => ({ known: { ...order, fingerprint: 'f1' } }))(sound[type]);
    const spoiled = violations[type].reduceRight(
      (one, [code, spoil]) => (code === 'idempotency_conflict' ? one : spoil(one)),
      repeat,
    );
    expect(check(spoiled)).toEqual({ repeated: order });
  });

  it.each(types)('has a quote without a key and an expected total: %s', (type) => {
    const quote = request({ fingerprint: undefined, expectedTotal: undefined })(sound[type]);
    expect(check(quote)).toHaveProperty('quote');
  });
});

describe('The product', () => {
  it.each<[string, Spoil, RegExp]>([
    ['unknown', facts(() => ({ product: undefined })), /no product virtual/],
    ['withdrawn', unavailable, /not available now/],
    ['of another kind', facts(() => ({ product: advice })), /offers service, not topup/],
    ['without any fees', facts(() => ({ product: { ...product, fee: {} } })), /offers nothing, not topup/],
  ])('that is %s is unavailable', (_case, spoil, message) => {
    expect(check(spoil(sound.topup))).toEqual({
      refused: 'product_unavailable',
      message: expect.stringMatching(message),
    });
  });
});

describe('The minimum amount', () => {
  const costing = (type: OperationType, amount: string, minimumAmount: string, configured: string): Case => {
    const quoted = request({ amount, expectedTotal: undefined })(sound[type]);
    return facts((now) => ({
      product: { ...now.product!, minimumAmount },
      minimums: { issue: configured, topup: configured },
    }))(quoted);
  };

  it.each<[OperationType, string, string, string]>([
    ['issue', '10.00', '5.00', '10.00'],
    ['issue', '20.00', '20.00', '10.00'],
    ['topup', '10.00', '5.00', '10.00'],
    ['topup', '20.00', '20.00', '10.00'],
    ['service', '5.00', '5.00', '10.00'],
    // Zero is never valid, even without a configured minimum.
    ['service', '0.01', '0.00', '10.00'],
    ['topup', '0.01', '0.00', '0.00'],
  ])('of %s is %s if the product has %s and the configuration %s', (type, smallest, ofProduct, configured) => {
    expect(check(costing(type, smallest, ofProduct, configured))).toHaveProperty('quote');
    const less = (Number(smallest) - 0.01).toFixed(2);
    expect(check(costing(type, less, ofProduct, configured))).toEqual({
      refused: 'amount_below_minimum',
      message: `amount ${less} is too small: send at least ${smallest}`,
    });
  });
});

describe('A refusal', () => {
  it('of a changed quote contains the current total', () => {
    expect(check(otherTotal(sound.issue))).toMatchObject({ message: expect.stringContaining('103.20 now, not 1.00') });
  });

  it("is the same for an unknown card and another account's card", () => {
    const unknown = facts(() => ({ card: undefined }));
    expect(check(unknown(sound.topup))).toEqual(check(foreignCard(sound.topup)));
  });

  it.each(['pending', 'frozen', 'blocked', 'closed', 'expired'] as const)('names the card status %s', (status) => {
    const spoil = facts(() => ({ card: { ...card, status } }));
    const message = expect.stringContaining(`The card is ${status}`);
    expect(check(spoil(sound.topup))).toEqual({ refused: 'card_not_active', message });
  });

  it.each(['active', 'frozen', 'blocked', 'expired', 'closed'] as const)('of an unload is not due to %s', (status) => {
    const changed = facts(() => ({ card: { ...loadedCard, status } }));
    expect(check(changed(sound.unload))).toMatchObject({ quote: { total: '100.00' }, productId: 'virtual' });
  });

  it('of an unload names the status of a closed card without money, and the available amount', () => {
    const empty = facts(() => ({ card: { ...card, status: 'closed' } }));
    expect(check(empty(sound.unload))).toMatchObject({
      refused: 'card_not_active',
      message: expect.stringMatching(/^The card is closed/),
    });
    const spent = facts(() => ({ card: { ...loadedCard, available: 9_999n } }));
    const message = expect.stringContaining('99.99 is available on the card');
    expect(check(spent(sound.unload))).toEqual({ refused: 'insufficient_card_balance', message });
  });

  it.each(['pending', 'blocked', 'inactive'] as const)('names the holder status %s', (status) => {
    const spoil = facts(() => ({ holder: { status } }));
    const message = expect.stringContaining(`The holder is ${status}`);
    expect(check(spoil(sound.issue))).toEqual({ refused: 'holder_not_active', message });
  });
});

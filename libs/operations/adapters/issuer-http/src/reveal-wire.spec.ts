import { readRevealResponse, revealBody } from './reveal-wire';

const now = new Date('2030-01-01T12:00:00.000Z');
const page = { url: 'https://issuer.example/reveals/1', expiresAt: '2030-01-01T12:01:00.000Z' };
const read = (body: unknown, status = 200) =>
  readRevealResponse({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }, now);

describe('A request for the details of a card', () => {
  it('contains only the documented fields', () => {
    const card = { companyId: 'acme', cardId: 'c1', cardReference: 'crd_1', last4: '4242' };
    expect(JSON.parse(revealBody(card))).toEqual({
      type: 'reveal',
      companyId: 'acme',
      cardId: 'c1',
      cardReference: 'crd_1',
    });
  });
});

describe('The response with the page', () => {
  it.each([
    page,
    { ...page, url: 'http://127.0.0.1:4000/reveals/1' },
    { ...page, expiresAt: '2030-01-01T13:00:30.000+01:00' },
  ])('is accepted: %j', (body) => {
    const expiresAt = new Date(body.expiresAt).toISOString();
    expect(read(body)).toEqual({ page: { url: body.url, expiresAt } });
  });

  it('is reduced to the documented fields', () => {
    expect(read({ ...page, number: '4242424242424242' })).toEqual({ page });
  });

  it.each([
    ['another status', page, 201, 'the issuer responded with HTTP 201'],
    ['no JSON', '<html>', 200, "the issuer's response is invalid: see the body"],
    ['no address', { expiresAt: page.expiresAt }, 200, "the issuer's response is invalid: see url"],
    ['a script', { ...page, url: 'javascript:alert(1)' }, 200, "the issuer's response is invalid: see url"],
    ['no time', { ...page, expiresAt: 'soon' }, 200, "the issuer's response is invalid: see expiresAt"],
    ['plain HTTP', { ...page, url: 'http://issuer.example/1' }, 200, /not https/],
    ['a user name', { ...page, url: 'https://user@issuer.example/1' }, 200, /with a user name/],
    ['more than a minute', { ...page, expiresAt: '2030-01-01T12:02:00.000Z' }, 200, /up to 60 seconds/],
    ['a time in the past', { ...page, expiresAt: '2030-01-01T11:59:00.000Z' }, 200, /up to 60 seconds/],
  ])('is refused with %s', (_name, body, status, failure) => {
    expect(read(body, status)).toEqual({
      failure: failure instanceof RegExp ? expect.stringMatching(failure) : failure,
    });
  });
});

import { issuerRequest } from '@florin/operations-application/testing';
import { requestBody, readResponse } from './issuer-wire';

const issue = issuerRequest('issue', '100.00');
const topup = issuerRequest('topup', '100.00');
const acceptance = { operationId: issue.operationId, outcome: 'accepted', receipt: 'R-1', card: { last4: '0042' } };
const decline = { operationId: issue.operationId, outcome: 'declined', code: 'not_today', message: 'Not today.' };
const read = (body: unknown, status = 200, order = issue) =>
  readResponse(order, { status, body: JSON.stringify(body) });

describe('the request body', () => {
  it('has only the documented fields', () => {
    const more = { ...issue, internal: 'secret', holder: { ...issue.holder!, born: '1990-01-01' } };
    expect(JSON.parse(requestBody(more))).toEqual(issue);
  });

  it('omits fields that do not apply to the type', () => {
    const service = issuerRequest('service', '5.00');
    expect(Object.keys(JSON.parse(requestBody(service)) as object)).toEqual(
      expect.not.arrayContaining(['cardId', 'cardReference', 'holder', 'name']),
    );
  });
});

describe('the request body of an unload', () => {
  it('names the card by both references', () => {
    const unload = issuerRequest('unload', '5.00');
    const { operationId, companyId, productId, cardId, cardReference } = unload;
    const facts = { operationId, type: 'unload', companyId, productId, amount: '5.00', currency: 'USD' };
    expect(JSON.parse(requestBody(unload))).toEqual({ ...facts, cardId, cardReference });
  });
});

describe('a response', () => {
  it('is accepted with the details of the card', () => {
    const card = { reference: 'crd_1', last4: '4242' };
    const response = { outcome: 'accepted', receipt: 'R-1', last4: '4242', cardReference: 'crd_1' };
    expect(read({ ...acceptance, card, more: 'ignored' })).toEqual(response);
    expect(read({ ...acceptance, receipt: undefined })).toEqual({ outcome: 'accepted', last4: '0042' });
    const pending = { ...card, status: 'pending' };
    expect(read({ ...acceptance, card: pending })).toEqual({ ...response, cardStatus: 'pending' });
  });

  it('is accepted without a card for other types than issue', () => {
    for (const card of [undefined, { last4: '4242' }, 'odd']) {
      const response = read({ ...acceptance, operationId: topup.operationId, card }, 200, topup);
      expect(response).toEqual({ outcome: 'accepted', receipt: 'R-1' });
    }
  });

  it.each([200, 422])('is declined with HTTP %i', (status) => {
    expect(read(decline, status)).toEqual({ outcome: 'declined', code: 'not_today', message: 'Not today.' });
  });

  it('is unknown if a key occurs twice, because both values may be meant', () => {
    const text = JSON.stringify(decline);
    const twice = [text.replace('{', '{"outcome":"accepted",'), text.replace('{', '{"more":{"a":1,"a":1},')];
    for (const body of twice) {
      const reason = "the issuer's response has a key twice in an object";
      expect(readResponse(issue, { status: 200, body })).toEqual({ outcome: 'unknown', reason });
    }
  });

  it('may have control characters in the message, which become spaces', () => {
    expect(read({ ...decline, message: 'Not today.\nTomorrow.\u0000' })).toMatchObject({
      message: 'Not today. Tomorrow. ',
    });
  });

  it.each([
    ['another status', acceptance, 201],
    ['a status without content', acceptance, 204],
    ['a redirect', acceptance, 301],
    ['a server error', acceptance, 500],
    ['a decline with another status', decline, 400],
    ['an acceptance with the status of a decline', acceptance, 422],
    ['another operation', { ...acceptance, operationId: topup.operationId }],
    ['no operation', { ...acceptance, operationId: undefined }],
    ['a decline of another operation', { ...decline, operationId: topup.operationId }],
    ['no outcome', { ...acceptance, outcome: undefined }],
    ['an undocumented outcome', { ...acceptance, outcome: 'pending' }],
    ['an outcome in the wrong case', { ...acceptance, outcome: 'Accepted' }],
    ['no card', { ...acceptance, card: undefined }],
    ['no last digits', { ...acceptance, card: { reference: 'crd_1' } }],
    ['too many digits', { ...acceptance, card: { last4: '44242' } }],
    ['digits of other scripts', { ...acceptance, card: { last4: '٤٢٤٢' } }],
    ['digits and a line break', { ...acceptance, card: { last4: '4242\n' } }],
    ['a number instead of digits', { ...acceptance, card: { last4: 4242 } }],
    ['an empty receipt', { ...acceptance, receipt: '' }],
    ['a receipt with a NUL character', { ...acceptance, receipt: 'R\u0000' }],
    ['a receipt that is too long', { ...acceptance, receipt: 'R'.repeat(201) }],
    ['a decline without a code', { ...decline, code: undefined }],
    ['a decline with an invalid code', { ...decline, code: 'Not today' }],
    ['a decline without a message', { ...decline, message: '' }],
    ['a list', [acceptance]],
    ['null', null],
    ['a text', 'accepted'],
  ])('is unknown: %s', (_, body, status = 200) => {
    expect(read(body, status)).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/^the issuer/) });
  });

  it.each(['', 'accepted', '{"outcome":"accepted"', `${JSON.stringify(acceptance)}x`])('is unknown: %p', (body) => {
    const reason = 'the issuer responded with HTTP 200 and a body that is not JSON';
    expect(readResponse(issue, { status: 200, body })).toEqual({ outcome: 'unknown', reason });
  });

  it('names the invalid field without its value', () => {
    expect(read({ ...acceptance, card: { last4: '4242 4242 4242 4242' } })).toEqual({
      outcome: 'unknown',
      reason: "the issuer's response is invalid: see card.last4",
    });
  });
});

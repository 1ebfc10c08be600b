import { issuerRequest } from '@florin/operations-application/testing';
import { requestBody, readResponse } from './issuer-wire';

const issue = issuerRequest('issue', '100.00');
const topup = issuerRequest('topup', '100.00');
const yes = { operationId: issue.operationId, outcome: 'accepted', receipt: 'R-1', card: { last4: '0042' } };
const no = { operationId: issue.operationId, outcome: 'declined', code: 'not_today', message: 'Not today.' };
const read = (body: unknown, status = 200, order = issue) =>
  readResponse(order, { status, body: JSON.stringify(body) });

describe('the body of an order', () => {
  it('has the documented fields and no others', () => {
    const more = { ...issue, internal: 'secret', holder: { ...issue.holder!, born: '1990-01-01' } };
    expect(JSON.parse(requestBody(more))).toEqual(issue);
  });

  it('leaves out what does not apply', () => {
    const service = issuerRequest('service', '5.00');
    expect(Object.keys(JSON.parse(requestBody(service)) as object)).toEqual(
      expect.not.arrayContaining(['cardId', 'cardReference', 'holder', 'name']),
    );
  });
});

describe('an answer', () => {
  it('is a yes with what it says about the card', () => {
    const card = { reference: 'crd_1', last4: '4242' };
    const answer = { outcome: 'accepted', receipt: 'R-1', last4: '4242', cardReference: 'crd_1' };
    expect(read({ ...yes, card, more: 'ignored' })).toEqual(answer);
    expect(read({ ...yes, receipt: undefined })).toEqual({ outcome: 'accepted', last4: '0042' });
  });

  it('is a yes without a card where none is made', () => {
    for (const card of [undefined, { last4: '4242' }, 'odd']) {
      const answer = read({ ...yes, operationId: topup.operationId, card }, 200, topup);
      expect(answer).toEqual({ outcome: 'accepted', receipt: 'R-1' });
    }
  });

  it.each([200, 422])('is a no with HTTP %i', (status) => {
    expect(read(no, status)).toEqual({ outcome: 'declined', code: 'not_today', message: 'Not today.' });
  });

  it('may explain a no in several lines', () => {
    expect(read({ ...no, message: 'Not today.\nTomorrow.\u0000' })).toMatchObject({ message: 'Not today. Tomorrow. ' });
  });

  it.each([
    ['another status', yes, 201],
    ['no status of an answer', yes, 204],
    ['a redirect', yes, 301],
    ['a failure of the server', yes, 500],
    ['a no that is none of the agreed', no, 400],
    ['a yes with the status of a no', yes, 422],
    ['another operation', { ...yes, operationId: topup.operationId }],
    ['no operation', { ...yes, operationId: undefined }],
    ['a no to another operation', { ...no, operationId: topup.operationId }],
    ['no outcome', { ...yes, outcome: undefined }],
    ['an outcome of its own', { ...yes, outcome: 'pending' }],
    ['an outcome that only looks alike', { ...yes, outcome: 'Accepted' }],
    ['no card', { ...yes, card: undefined }],
    ['no digits', { ...yes, card: { reference: 'crd_1' } }],
    ['too many digits', { ...yes, card: { last4: '44242' } }],
    ['digits of other scripts', { ...yes, card: { last4: '٤٢٤٢' } }],
    ['digits and a line break', { ...yes, card: { last4: '4242\n' } }],
    ['a number for digits', { ...yes, card: { last4: 4242 } }],
    ['an empty receipt', { ...yes, receipt: '' }],
    ['a receipt that no database takes', { ...yes, receipt: 'R\u0000' }],
    ['an endless receipt', { ...yes, receipt: 'R'.repeat(201) }],
    ['a no without a code', { ...no, code: undefined }],
    ['a no with an odd code', { ...no, code: 'Not today' }],
    ['a no without a message', { ...no, message: '' }],
    ['a list', [yes]],
    ['nothing', null],
    ['a text', 'accepted'],
  ])('is unknown: %s', (_, body, status = 200) => {
    expect(read(body, status)).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/^the issuer/) });
  });

  it.each(['', 'accepted', '{"outcome":"accepted"', `${JSON.stringify(yes)}x`])('is unknown: %p', (body) => {
    const reason = 'the issuer answered with HTTP 200 and a body that is not JSON';
    expect(readResponse(issue, { status: 200, body })).toEqual({ outcome: 'unknown', reason });
  });

  it('names the field that is wrong, and does not repeat what it holds', () => {
    expect(read({ ...yes, card: { last4: '4242 4242 4242 4242' } })).toEqual({
      outcome: 'unknown',
      reason: "the issuer's answer is not of the agreed form: see card.last4",
    });
  });
});

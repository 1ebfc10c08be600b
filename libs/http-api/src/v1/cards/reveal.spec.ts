import { randomId } from '@florin/kernel';
import { accountId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';

const api = new OperationsApp();
const cardId = randomId();
const scopes = ['cards:reveal'] as const;

beforeAll(() => api.start({ baseUrl: 'https://florin.example', revealFrameOrigins: ['https://app.example'] }));
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.views.revealLinks.clear();
});

const reveal = (id = cardId, key: object = { scopes }) =>
  api.as(key, { method: 'POST', url: `/api/v1/cards/${id}/reveal` });
const expiresAt = new Date(Date.parse(initialTime) + 60_000);

describe('Requesting the details of a card', () => {
  it('returns an address of Florin in the sandbox, valid for a minute', async () => {
    api.bus.accept({ last4: '0042' });
    const { status, body } = await reveal();
    expect([status, body['expiresAt']]).toEqual([200, expiresAt.toISOString()]);
    expect(body['url']).toMatch(/^https:\/\/florin\.example\/sandbox\/reveals\/[\w-]{43}$/);
    const token = String(body['url']).split('/').at(-1)!;
    expect(api.views.revealLinks.get(token)).toEqual({ cardId, last4: '0042', expiresAt });
    expect(api.bus.last).toMatchObject({ context: 'operations', key: cardId });
    expect(api.bus.last?.command).toEqual({ type: 'RevealCard', data: { cardId, accountId } });
  });

  it("returns the issuer's address in live", async () => {
    const page = { url: 'https://issuer.example/1', expiresAt: expiresAt.toISOString() };
    api.bus.accept({ last4: '0042', page });
    expect(await reveal()).toMatchObject({ status: 200, body: page });
    expect(api.views.revealLinks.size).toBe(0);
  });

  it.each([
    ['card_not_active', 400, 'card_not_active'],
    ['not_found', 404, 'not_found'],
    ['reveal_unavailable', 503, 'unavailable'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await reveal()).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  it('needs its own scope', async () => {
    expect(await reveal(cardId, { scopes: ['cards:read', 'cards:write'] })).toMatchObject({ status: 403 });
    expect(api.bus.sent).toEqual([]);
  });

  it('returns 404 for a malformed id', async () => {
    expect(await reveal('nope')).toMatchObject({ status: 404 });
    expect(api.bus.sent).toEqual([]);
  });
});

describe('The page with the details', () => {
  it('can be framed by configured origins', async () => {
    const { headers, statusCode } = await api.app.inject({ method: 'GET', url: '/sandbox/reveals/x' });
    expect(statusCode).toBe(410);
    expect(headers['content-security-policy']).toContain('frame-ancestors https://app.example;');
    expect(headers).not.toHaveProperty('x-frame-options');
  });
});

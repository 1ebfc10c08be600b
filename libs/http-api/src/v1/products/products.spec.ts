import type { Product } from '@florin/operations-domain';
import { OperationsApp } from '../../testing/operations-app';

const api = new OperationsApp();

beforeAll(() => api.start({ minimums: { issue: '25.00', topup: '20.00' } }));
afterAll(() => api.close());

const terms = { fixed: '0.00', percent: '0' };
const product = (minimumAmount: string, fee: Product['fee']): Product => {
  return { productId: 'any', kind: 'card', name: 'Any', currency: 'USD', fee, minimumAmount, available: true };
};

describe('GET /products', () => {
  it.each([
    ['1.00', { issue: terms, topup: terms }, '25.00'],
    ['1.00', { topup: terms }, '20.00'],
    ['30.00', { issue: terms, topup: terms }, '30.00'],
    ['0.00', { service: terms }, '0.01'],
  ])('with the minimum %s and the fees %j shows the effective minimum %s', async (own, fee, effective) => {
    api.views.products = [product(own, fee)];
    const { body } = await api.as({ scopes: ['cards:read'] }, { url: '/api/v1/products' });
    expect(body).toMatchObject({ data: [{ id: 'any', minimumAmount: effective }] });
  });
});

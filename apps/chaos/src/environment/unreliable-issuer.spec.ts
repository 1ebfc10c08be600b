import { Random } from '../random';
import { issuerTimeoutMs, planFor } from './unreliable-issuer';

const plan = (operationId: string) => planFor({ operationId, type: 'issue', amount: '10.00' }, new Random('1'));

describe('The unreliable issuer', () => {
  it('uses every behavior, and always the same one for an operation', () => {
    const plans = Array.from({ length: 300 }, (_, index) => plan(`operation-${index}`));
    const behaviors = new Set(plans.map(({ behavior }) => behavior));
    expect(behaviors).toEqual(new Set(['accepted', 'declinedWith200', 'hangs', 'resets', 'serverError']));
    const accepted = plans.filter(({ behavior }) => behavior === 'accepted').map(({ delayMs }) => delayMs);
    expect(accepted.some((delayMs) => delayMs > issuerTimeoutMs)).toBe(true);
    expect(accepted.some((delayMs) => delayMs <= 60)).toBe(true);
    expect(plan('operation-0')).toEqual(plans[0]);
  });
});

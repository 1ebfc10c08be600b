import { deterministicId } from '@florin/kernel';
import { sandboxLast4 } from './sandbox-last4';

it('returns four digits, stable per operation and mostly different between operations', () => {
  const ids = Array.from({ length: 200 }, (_, index) => deterministicId('operation', String(index)));
  const digits = ids.map(sandboxLast4);
  for (const last4 of digits) expect(last4).toMatch(/^\d{4}$/);
  expect(ids.map(sandboxLast4)).toEqual(digits);
  expect(new Set(digits).size).toBeGreaterThan(180);
});

it('does not change, because existing logs contain its results', () => {
  expect(sandboxLast4('00000000-0000-5000-8000-000000000001')).toBe('6159');
});

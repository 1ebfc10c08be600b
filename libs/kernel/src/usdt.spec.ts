import fc from 'fast-check';
import { formatUsdt, parseUsdt } from './usdt';

describe('Amounts of USDT', () => {
  it('have six decimals in JSON', () => {
    expect(formatUsdt(0n)).toBe('0.000000');
    expect(formatUsdt(1n)).toBe('0.000001');
    expect(formatUsdt(100_003_127n)).toBe('100.003127');
  });

  it('are lossless up to the largest amount of the contract', () => {
    fc.assert(fc.property(fc.bigInt(0n, 2n ** 256n - 1n), (usdt) => parseUsdt(formatUsdt(usdt)) === usdt));
  });

  it.each(['100', '100.00', '100.0031270', '-1.000000', '1e3', ' 1.000000', '.000001'])('reject %p', (text) => {
    expect(() => parseUsdt(text)).toThrow('not a stored amount of USDT');
  });

  it('are never negative', () => {
    expect(() => formatUsdt(-1n)).toThrow('never negative');
  });
});

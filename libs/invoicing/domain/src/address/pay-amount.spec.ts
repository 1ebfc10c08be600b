import { parseUsdt } from '@florin/kernel';
import { distinctAmounts, freePayAmount, rotatedAddresses } from './pay-amount';

describe('freePayAmount', () => {
  it('adds between one and 9,999 millionths and uses all of them', () => {
    const tried = new Set<string>();
    const isTaken = (amount: string): boolean => tried.add(amount) !== undefined;
    expect(freePayAmount('i1', '100.00', isTaken)).toBeUndefined();
    expect(tried.size).toBe(distinctAmounts);
    const millionths = [...tried].map((amount) => parseUsdt(amount) - 100_000_000n).sort((a, b) => Number(a - b));
    expect(millionths[0]).toBe(1n);
    expect(millionths.at(-1)).toBe(9_999n);
  });

  it('differs between invoices', () => {
    const amounts = Array.from({ length: 100 }, (_, index) => freePayAmount(`i${index}`, '10.00', () => false));
    expect(new Set(amounts).size).toBeGreaterThan(90);
  });
});

describe('rotatedAddresses', () => {
  it('rotates the addresses by invoice, so that all are used equally', () => {
    const places = ['a', 'b', 'c'];
    const orders = Array.from({ length: 300 }, (_, index) => rotatedAddresses(`i${index}`, places).join(''));
    expect(new Set(orders)).toEqual(new Set(['abc', 'bca', 'cab']));
    for (const order of ['abc', 'bca', 'cab']) {
      expect(orders.filter((other) => other === order).length).toBeGreaterThan(60);
    }
    expect(rotatedAddresses('i1', places)).toEqual(rotatedAddresses('i1', places));
    expect(rotatedAddresses('i1', [])).toEqual([]);
  });
});

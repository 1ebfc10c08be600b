import { parseUsdt } from '@florin/kernel';
import { distinctAmounts, freePayAmount, rotatedAddresses } from './pay-amount';

describe('freePayAmount', () => {
  const amountsFrom = (draw: number): readonly string[] => {
    const tried = new Set<string>();
    const isTaken = (amount: string): boolean => tried.add(amount) !== undefined;
    expect(freePayAmount(draw, '100.00', isTaken)).toBeUndefined();
    return [...tried];
  };

  it('adds between one and 9,999 millionths and uses all that do not end in 000', () => {
    for (const draw of [0, 4_711, distinctAmounts - 1]) {
      const amounts = amountsFrom(draw);
      expect(amounts).toHaveLength(distinctAmounts);
      expect(amounts.filter((amount) => amount.endsWith('000'))).toEqual([]);
      const millionths = amounts.map((amount) => parseUsdt(amount) - 100_000_000n).sort((a, b) => Number(a - b));
      expect([millionths[0], millionths.at(-1)]).toEqual([1n, 9_999n]);
    }
  });

  it('has one amount per draw', () => {
    const amounts = Array.from({ length: distinctAmounts }, (_, draw) => freePayAmount(draw, '10.00', () => false));
    expect(new Set(amounts).size).toBe(distinctAmounts);
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

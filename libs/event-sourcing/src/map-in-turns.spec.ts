import { mapInTurns } from './map-in-turns';

describe('mapInTurns', () => {
  it('maps all items in order', async () => {
    const numbers = Array.from({ length: 1_234 }, (_, index) => index);
    expect(await mapInTurns(numbers, (number) => number * 2)).toEqual(numbers.map((number) => number * 2));
    expect(await mapInTurns([], String)).toEqual([]);
  });

  it('lets other work run in between', async () => {
    const order: string[] = [];
    const items = Array.from({ length: 1_001 }, (_, index) => index);
    const mapped = mapInTurns(items, (index) => void (index % 500 === 0 && order.push(`item ${index}`)));
    setImmediate(() => order.push('other work'));
    await mapped;
    expect(order).toEqual(['item 0', 'item 500', 'other work', 'item 1000']);
  });

  it('rejects with the error of an item', async () => {
    const fail = (): never => {
      throw new Error('no');
    };
    await expect(mapInTurns([1], fail)).rejects.toThrow('no');
  });
});

import { IssuerCallSlots } from './issuer-call-slots';

describe('IssuerCallSlots', () => {
  it('passes a released slot to the item that has waited longest, and frees it if none waits', () => {
    const slots = new IssuerCallSlots<string>(1);
    expect(slots.acquire('a', 'first')).toBe(true);
    expect(slots.acquire('b', 'second')).toBe(false);
    expect(slots.acquire('c', 'third')).toBe(false);
    expect(slots.release()).toBe('second');
    expect(slots.release()).toBe('third');
    expect(slots.release()).toBeUndefined();
    expect(slots.acquire('d', 'fourth')).toBe(true);
  });

  it('takes a free slot without waiting', () => {
    const slots = new IssuerCallSlots<string>(1);
    expect([slots.tryAcquire(), slots.tryAcquire(), slots.acquire('a', 'first')]).toEqual([true, false, false]);
    expect(slots.release()).toBe('first');
  });

  it('queues an id at most once', () => {
    const slots = new IssuerCallSlots<string>(0);
    slots.acquire('a', 'first');
    slots.acquire('a', 'again');
    expect(slots.release()).toBe('again');
    expect(slots.release()).toBeUndefined();
  });

  it('limits the number of waiting items', () => {
    const slots = new IssuerCallSlots<number>(0);
    for (let item = 0; item < 10_001; item++) slots.acquire(`${item}`, item);
    let released = 0;
    while (slots.release() !== undefined) released += 1;
    expect(released).toBe(10_000);
  });

  it('removes all waiting items', () => {
    const slots = new IssuerCallSlots<string>(0);
    slots.acquire('a', 'first');
    slots.clear();
    expect(slots.release()).toBeUndefined();
  });
});

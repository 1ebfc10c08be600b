import { once } from './once';

describe('once', () => {
  it('creates the value on the first call and shares it', async () => {
    const create = jest.fn(async () => ({}));
    const get = once(create);
    expect(create).not.toHaveBeenCalled();
    const [first, second] = await Promise.all([get(), get()]);
    expect(second).toBe(first);
    expect(await get()).toBe(first);
    expect(create).toHaveBeenCalledTimes(1);
  });

  it('tries again after a failure', async () => {
    const create = jest.fn().mockRejectedValueOnce(new Error('not now')).mockResolvedValue('created');
    const get = once(create);
    await expect(get()).rejects.toThrow('not now');
    expect(await get()).toBe('created');
  });
});

import { HeadNotifier } from './head-notifier';

function setUp() {
  let notified = 0;
  let tell: () => void = () => undefined;
  const next = (): Promise<void> => new Promise((resolve) => (tell = resolve));
  const notifier = new HeadNotifier(async () => {
    notified += 1;
    tell();
  });
  return { notifier, next, notified: () => notified };
}

describe('HeadNotifier', () => {
  it('notifies with the first batch and not with the one right after it', () => {
    const { notifier } = setUp();
    expect([notifier.isDue(), notifier.isDue()]).toEqual([true, false]);
  });

  it('sends one notification for the last batches after a short delay', async () => {
    const { notifier, next, notified } = setUp();
    const announced = next();
    for (let batch = 0; batch < 5; batch++) notifier.notifyLater();
    await announced;
    await notifier.close();
    expect(notified()).toBe(1);
  });

  it('sends an outstanding notification on close, and none otherwise', async () => {
    const { notifier, notified } = setUp();
    await notifier.close();
    expect(notified()).toBe(0);
    notifier.notifyLater();
    await notifier.close();
    expect(notified()).toBe(1);
  });
});

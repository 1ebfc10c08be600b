import { Announcements } from './announcements';

function setUp() {
  let told = 0;
  let tell: () => void = () => undefined;
  const next = (): Promise<void> => new Promise((resolve) => (tell = resolve));
  const announcements = new Announcements(async () => {
    told += 1;
    tell();
  });
  return { announcements, next, told: () => told };
}

describe('Announcements', () => {
  it('lets the first batch announce itself, and not one right behind it', () => {
    const { announcements } = setUp();
    expect([announcements.isDue(), announcements.isDue()]).toEqual([true, false]);
  });

  it('tells of the last batches once, a moment later', async () => {
    const { announcements, next, told } = setUp();
    const announced = next();
    for (let batch = 0; batch < 5; batch++) announcements.owe();
    await announced;
    await announcements.close();
    expect(told()).toBe(1);
  });

  it('tells before it closes what it still owes, and nothing otherwise', async () => {
    const { announcements, told } = setUp();
    await announcements.close();
    expect(told()).toBe(0);
    announcements.owe();
    await announcements.close();
    expect(told()).toBe(1);
  });
});

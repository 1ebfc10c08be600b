import { RequestsUnderWay } from './requests-under-way';

it('counts requests until they are answered or have failed', async () => {
  const requests = new RequestsUnderWay();
  let answer = (): void => undefined;
  let fail = (_error: Error): void => undefined;
  const answered = requests.during(new Promise<void>((resolve) => (answer = resolve)));
  const failed = requests.during(new Promise<void>((_resolve, reject) => (fail = reject)));
  expect(requests.count).toBe(2);
  answer();
  await answered;
  expect(requests.count).toBe(1);
  fail(new Error('no'));
  await expect(failed).rejects.toThrow('no');
  expect(requests.count).toBe(0);
});

import { type Account, expectBody } from './harness/account';
import { accessibilityViolations, TestBrowser } from './harness/browser';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';
import type { RunningFlorin } from './harness/running-florin';

describe('the payment page in a browser', () => {
  let florin: RunningFlorin;
  let account: Account;
  let browser: TestBrowser;

  beforeAll(async () => {
    florin = await sharedFlorin();
    browser = await TestBrowser.start();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    account = await new Operator(florin).newAccount();
  });

  const complete = async (id: string) => expectBody(await account.post(`/api/v1/sandbox/invoices/${id}/complete`), 200);

  it('shows what to pay, copies it, and follows the payment, without a key', async () => {
    const { id, address, payAmount, paymentUrl } = await account.newInvoice();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, problems } = await browser.open(paymentUrl, { permissions });
    const hosts = new Set<string>();
    const referrers = new Set<string>();
    page.on('request', (request) => {
      hosts.add(new URL(request.url()).host);
      referrers.add(request.headers()['referer'] ?? '');
    });
    expect(await page.locator('#amount').textContent()).toBe(payAmount);
    expect(await page.locator('#address').textContent()).toBe(address);
    expect(await page.getByRole('img', { name: 'QR code of the address' }).isVisible()).toBe(true);
    await page.getByText(/\(in 00:59:\d\d\)/).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Copy amount' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(payAmount);
    await page.getByRole('button', { name: 'Copy address' }).click();
    await page.getByRole('button', { name: 'Copied' }).nth(1).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address);

    await complete(id);
    await page.getByText('Paid. The payment has arrived.').waitFor();
    expect(await page.getByRole('img').count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect([[...hosts], [...referrers]]).toEqual([[new URL(florin.baseUrl).host], ['']]);
    expect(problems).toEqual([]);
  });

  it('says not to pay once the invoice is canceled', async () => {
    const { id, paymentUrl } = await account.newInvoice();
    const { page, problems } = await browser.open(paymentUrl);
    await page.getByText('Waiting for the payment.').waitFor();
    expectBody(await account.post(`/api/v1/card-account/invoices/${id}/cancel`), 200);
    await page.getByText(/Do not send money to this address|do not send money now/).waitFor();
    expect(await page.locator('svg').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('shows what to pay without JavaScript', async () => {
    const { id, address, payAmount, paymentUrl } = await account.newInvoice();
    const { page } = await browser.open(paymentUrl, { javaScriptEnabled: false });
    expect(await page.locator('#amount').textContent()).toBe(payAmount);
    expect(await page.locator('#address').textContent()).toBe(address);
    expect(await page.locator('svg').isVisible()).toBe(true);
    expect(await page.locator('button').first().isVisible()).toBe(false);
    await complete(id);
    // The page reloads itself.
    await page.getByText('Paid. The payment has arrived.').waitFor();
  });

  it('cannot be framed, and its address is in no log line', async () => {
    const { paymentUrl } = await account.newInvoice();
    const { page } = await browser.open(`${florin.baseUrl}/health/live`);
    await page.setContent(`<iframe src="${paymentUrl}"></iframe>`);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    expect(await frame!.locator('#amount').count()).toBe(0);
    expect(florin.log).not.toContain(paymentUrl.split('/').at(-1)!);
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, expectBody } from './harness/account';
import { accessibilityViolations, TestBrowser } from './harness/browser';
import { Florin } from './harness/florin';
import { Operator } from './harness/operator';

describe('the page with the details of a card, in a browser', () => {
  let framing: Server;
  let florin: Florin;
  let browser: TestBrowser;
  let account: Account;
  let cardId: string;

  beforeAll(async () => {
    framing = createServer((request, response) => {
      const address = new URL(request.url!, 'http://localhost').searchParams.get('show');
      response.setHeader('content-type', 'text/html').end(`<iframe src="${address}"></iframe>`);
    });
    await new Promise<void>((resolve) => framing.listen(0, '127.0.0.1', resolve));
    florin = await Florin.start({ env: { REVEAL_FRAME_ORIGINS: originOf('127.0.0.1') } });
    browser = await TestBrowser.start();
    account = await new Operator(florin).newAccount('1000.00');
    cardId = await account.newCard(await account.newHolder());
  });

  afterAll(async () => {
    await browser.close();
    await florin.stop();
    florin.removeData();
    framing.closeAllConnections();
    framing.close();
  });

  const originOf = (host: string) => `http://${host}:${(framing.address() as AddressInfo).port}`;
  const newAddress = async () =>
    expectBody<{ url: string }>(await account.post(`/api/v1/cards/${cardId}/reveal`), 200).url;

  it('shows number, expiry and CVC once, and is accessible', async () => {
    const url = await newAddress();
    const { page, problems } = await browser.open(url);
    const [number = '', expiry, cvc] = await page.locator('dd').allInnerTexts();
    expect(number.slice(-4)).toBe((await account.card(cardId)).last4);
    expect([expiry, cvc]).toEqual([expect.stringMatching(/^\d\d\/\d\d$/), expect.stringMatching(/^\d{3}$/)]);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.reload();
    expect(await page.innerText('main')).toMatch(/no longer here/);
    await page.goBack();
    expect(await page.content()).not.toContain('<dd>');
  });

  it('is shown in frames of configured origins only', async () => {
    const { last4 } = await account.card(cardId);
    for (const [host, isShown] of [
      ['127.0.0.1', true],
      ['localhost', false],
    ] as const) {
      const { page } = await browser.open(`${originOf(host)}/?show=${await newAddress()}`);
      const [frame] = page.frames().filter((candidate) => candidate !== page.mainFrame());
      await frame!.waitForLoadState();
      expect([host, (await frame!.content()).includes(` ${last4}`)]).toEqual([host, isShown]);
    }
  });
});

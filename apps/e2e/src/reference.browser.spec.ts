import { TestBrowser } from './harness/browser';
import { sharedFlorin } from './harness/florin';
import type { RunningFlorin } from './harness/running-florin';

describe('the API reference in a browser', () => {
  let florin: RunningFlorin;
  let browser: TestBrowser;

  beforeAll(async () => {
    florin = await sharedFlorin();
    browser = await TestBrowser.start();
  });

  afterAll(() => browser.close());

  it('shows the endpoints, and loads nothing from other hosts', async () => {
    const { page, problems } = await browser.open('about:blank');
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${florin.baseUrl}/reference`);
    await page.getByText('Read the balance of the card account').first().waitFor();
    expect([...hosts]).toEqual([new URL(florin.baseUrl).host]);
    expect(problems).toEqual([]);
  });
});

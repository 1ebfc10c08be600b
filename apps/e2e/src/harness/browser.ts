import axe, { type AxeResults } from 'axe-core';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const commands = ['chromium', 'chromium-browser', 'google-chrome'];

/** Without connections of Chromium's own, which would leave the machine. */
const args = [
  ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-quic'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** The Chromium of this machine, for the specs named `*.browser.spec.ts`. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  static async start(): Promise<TestBrowser> {
    return new TestBrowser(await chromium.launch({ executablePath: chromiumPath(), args, headless: true }));
  }

  /** A page in a new profile, with its problems. */
  async open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<OpenPage> {
    const context = await this.browser.newContext(options);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(url);
    return { context, page, problems };
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

export interface OpenPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Uncaught errors, and what the console reports as errors: blocked by a policy, not found, not allowed. */
  readonly problems: readonly string[];
}

/** The rules of axe that the page violates, with the elements. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

function chromiumPath(): string {
  const configured = process.env['CHROMIUM_PATH'];
  if (configured !== undefined) return configured;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = commands.flatMap((command) => folders.map((folder) => join(folder, command))).find(existsSync);
  if (found !== undefined) return found;
  throw new Error(
    'Chromium is not installed. Install it, such as with `apt-get install chromium`, or set CHROMIUM_PATH.',
  );
}

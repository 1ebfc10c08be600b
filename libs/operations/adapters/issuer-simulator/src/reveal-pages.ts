import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const validForMs = 60_000;

/** The issuer's page with the details of a card: it can be opened once, within a minute. */
export class RevealPages {
  private readonly pages = new Map<string, { readonly cardId: string; readonly expiresAt: number }>();

  create(cardId: string, baseUrl: string): { readonly url: string; readonly expiresAt: string } {
    const token = randomBytes(24).toString('base64url');
    const expiresAt = Date.now() + validForMs;
    this.pages.set(token, { cardId, expiresAt });
    return { url: `${baseUrl}/reveals/${token}`, expiresAt: new Date(expiresAt).toISOString() };
  }

  show(path: string, response: ServerResponse): void {
    const token = path.split('/').at(-1)!;
    const page = this.pages.get(token);
    this.pages.delete(token);
    const isValid = page !== undefined && page.expiresAt > Date.now();
    const text = isValid
      ? `Simulated card ${page.cardId}\nNumber: 4242 4242 4242 4242\nValid until: 12/39\nCVC: 123\n`
      : 'This address can be opened once, within 60 seconds.\n';
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
    response.writeHead(isValid ? 200 : 410, headers).end(text);
  }
}

import type { CardDetails } from '@florin/operations-domain';
import { createHash } from 'node:crypto';

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 3rem auto; padding: 0 1rem; }
dl { border: 1px solid; border-radius: 0.75rem; padding: 1.25rem; }
dt { font-size: 0.875rem; }
dd { margin: 0 0 0.75rem; font: 600 1.25rem/1.4 ui-monospace, monospace; user-select: all; }
`;

/** The page loads nothing but its style, is not stored, and its address is not passed on as a referrer. */
export function revealHeaders(frameOrigins: readonly string[]): Readonly<Record<string, string>> {
  const styleHash = createHash('sha256').update(style).digest('base64');
  const ancestors = frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' ');
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow, noarchive',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    // For browsers that do not know frame-ancestors. It cannot name origins.
    ...(frameOrigins.length === 0 && { 'x-frame-options': 'DENY' }),
  };
}

/** The browser asks for the page again after a minute, and then shows that it is gone. */
export function detailsPage({ number, expiry, cvc }: CardDetails): string {
  const groups = number.replaceAll(/(.{4})(?=.)/g, '$1 ');
  return page(
    'Card details',
    `<dl>
      <dt>Card number</dt>
      <dd>${groups}</dd>
      <dt>Valid until</dt>
      <dd>${expiry}</dd>
      <dt>Security code (CVC)</dt>
      <dd>${cvc}</dd>
    </dl>
    <p>This is a test card of the sandbox. The details disappear after 60 seconds, and this address cannot be opened again.</p>`,
  );
}

export function gonePage(): string {
  return page(
    'Card details',
    `<p>The details of the card are no longer here: the address can be opened once, within 60 seconds. Request a new one.</p>`,
  );
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
    <h1>${title}</h1>
    ${content}
    </main>
  </body>
</html>
`;
}

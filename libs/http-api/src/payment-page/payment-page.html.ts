import type { PayableInvoice } from '@florin/read-models';
import { createHash } from 'node:crypto';
import { changingStates, type PageState, stateTexts } from './page-state';
import { paymentPageScript } from './payment-page.script';
import { paymentPageStyle } from './payment-page.style';

/** Only the two files and the state of this host, and no inline script or style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The address of the page is a secret, so that it must not be sent, stored, indexed or framed. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': policy,
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};

/** Without JavaScript the page reloads itself. */
const reloadSeconds = 15;

export interface PaymentPage {
  readonly invoice: PayableInvoice;
  readonly state: PageState;
  readonly qrCode: string;
  readonly now: Date;
}

export function paymentPage({ invoice, state, qrCode, now }: PaymentPage): string {
  const { payAmount, address, expiresAt } = invoice;
  const isPayable = state === 'pending';
  const reload = changingStates.includes(state)
    ? `<noscript><meta http-equiv="refresh" content="${reloadSeconds}" /></noscript>`
    : '';
  const attributes = [
    `data-state="${state}"`,
    ...(changingStates.includes(state) ? ['data-polls'] : []),
    ...(isPayable ? [`data-expires-at="${expiresAt}" data-now="${now.toISOString()}"`] : []),
  ].join(' ');
  return document(
    `Pay ${escaped(payAmount)} USDT`,
    `
    <main ${attributes}>
      <h1>Pay ${escaped(payAmount)} USDT</h1>
      <p id="state" role="status" class="state ${state}">${stateTexts[state]}</p>
      ${isPayable ? deadline(expiresAt) : ''}
      <dl>
        <dt>Network</dt>
        <dd>TRON (TRC-20)</dd>
        <dt>Exact amount in USDT</dt>
        <dd><code id="amount">${escaped(payAmount)}</code>${isPayable ? copyButton('amount', 'Copy amount') : ''}</dd>
        <dt>Address</dt>
        <dd><code id="address">${escaped(address)}</code>${isPayable ? copyButton('address', 'Copy address') : ''}</dd>
      </dl>
      ${isPayable ? figure(qrCode) : ''}
    </main>`,
    reload,
  );
}

/** The same for every unknown address, so that it is not possible to find out which ones existed. */
export function unknownPaymentPage(): string {
  return document(
    'Payment not found',
    `
    <main>
      <h1>Payment not found</h1>
      <p>Check the address of this page, or ask for a new one.</p>
    </main>`,
  );
}

function deadline(expiresAt: string): string {
  const time = `${expiresAt.slice(0, 10)} ${expiresAt.slice(11, 19)} UTC`;
  return `<p>
        Pay before <time datetime="${expiresAt}">${time}</time><span id="countdown" role="timer" hidden></span>.
        The exact amount identifies the payment: a different amount, or a second transfer, is not accepted automatically.
      </p>`;
}

/** The script shows the buttons, because they need it. */
function copyButton(id: string, label: string): string {
  return ` <button type="button" data-copy="${id}" hidden>${label}</button>`;
}

function figure(qrCode: string): string {
  return `<figure>
        ${qrCode}
        <figcaption>The address as a QR code. Enter the amount in your wallet.</figcaption>
      </figure>`;
}

/** Relative addresses, because a proxy may serve the page below another path. */
function document(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="page.css?${versionOf(paymentPageStyle)}" />
    <script src="page.js?${versionOf(paymentPageScript)}" defer></script>
    ${head}
  </head>
  <body>${body}
  </body>
</html>
`;
}

/** Changes with the content, so that browsers can cache the file forever. */
function versionOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

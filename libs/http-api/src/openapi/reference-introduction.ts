import { statusOfCode } from '../errors/api-error';
import { eventMeanings } from '../v1/events/event-meanings';
import { html, prose, type SafeHtml } from './html';
import { scopeDescriptions } from './scope-descriptions';

const scopeRows = Object.entries(scopeDescriptions).map(
  ([scope, meaning]) =>
    html`<tr>
      <td><code>${scope}</code></td>
      <td>${meaning}</td>
    </tr>`,
);

const codeRows = Object.entries(statusOfCode).map(
  ([code, status]) =>
    html`<tr>
      <td><code>${code}</code></td>
      <td>${status}</td>
    </tr>`,
);

const eventRows = Object.entries(eventMeanings).map(
  ([type, meaning]) =>
    html`<tr>
      <td><code>${type}</code></td>
      <td>${prose(meaning)}</td>
    </tr>`,
);

/** What holds for every endpoint, told once. */
export const introduction: readonly { readonly id: string; readonly heading: string; readonly body: SafeHtml }[] = [
  {
    id: 'authentication',
    heading: 'Authentication',
    body: html`<p>
        ${prose(
          'Send your API key with every request: `Authorization: Bearer <key>`. A key that begins with `fl_test_` ' +
            'belongs to the sandbox, one with `fl_live_` to live. Keep it on your servers, never in an app or a page.',
        )}
      </p>
      <table>
        <tr>
          <th>Scope</th>
          <th>Allows</th>
        </tr>
        ${scopeRows}
      </table>`,
  },
  {
    id: 'money',
    heading: 'Money and time',
    body: html`<p>
      ${prose(
        'Amounts are strings, never JSON numbers: `"10"`, `"10.0"` and `"10.00"` are the same, and answers always have ' +
          'two decimals. Times are ISO 8601 in UTC.',
      )}
    </p>`,
  },
  {
    id: 'idempotency',
    heading: 'Idempotency',
    body: html`<p>
      ${prose(
        'Send an `Idempotency-Key` of up to 128 visible characters with every POST, a new one for every new wish. When ' +
          'you do not know whether a request arrived, repeat it with the same key and the same body: it happens once, ' +
          'and the first answer comes again with `Idempotent-Replayed: true`. The same key with another body is 409. ' +
          'A refused request leaves its key free.',
      )}
    </p>`,
  },
  {
    id: 'pages',
    heading: 'Pages',
    body: html`<p>
      ${prose(
        'Lists come in pages, the newest entries first. Send the `nextCursor` of one page as `cursor` for the next, with ' +
          'the same filters; the last page has none. Cards and holders come all at once, unless you send a `limit`.',
      )}
    </p>`,
  },
  {
    id: 'limits',
    heading: 'Rate limits',
    body: html`<p>
      ${prose(
        'Requests are counted per company and environment. `RateLimit-Policy` tells how many (`q`) are allowed in how ' +
          'many seconds (`w`), `RateLimit` how many are left (`r`). After a 429, wait for `Retry-After` seconds.',
      )}
    </p>`,
  },
  {
    id: 'webhooks',
    heading: 'Webhooks',
    body: html`<p>
        ${prose(
          'What happens is posted to your webhook endpoints. `Service-Signature: t=<unix seconds>,v1=<hex>` is the ' +
            'HMAC-SHA256 of `t`, a point and the raw body, keyed with the secret of the endpoint. Check it, and that `t` ' +
            'is within 300 seconds of your clock. Any 2xx within 15 seconds acknowledges. The same event can come twice, ' +
            'with the same `id`; of two events of one object, the one with the smaller `objectVersion` is older.',
        )}
      </p>
      <table>
        <tr>
          <th>Event</th>
          <th>When</th>
        </tr>
        ${eventRows}
      </table>`,
  },
  {
    id: 'errors',
    heading: 'Errors',
    body: html`<p>
        ${prose(
          'Every error has the same body: `statusCode`, `message` for people, `code` for programs, and the `requestId` ' +
            'that also stands in the header `X-Request-Id`.',
        )}
      </p>
      <table>
        <tr>
          <th>Code</th>
          <th>Status</th>
        </tr>
        ${codeRows}
      </table>`,
  },
];

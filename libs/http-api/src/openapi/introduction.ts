import { statusOfCode } from '../errors/api-error';
import { errorExplanations } from '../errors/error-explanations';
import { eventMeanings } from '../v1/events/event-meanings';
import { scopeDescriptions } from './scope-descriptions';

/** A Markdown table; the first column is code. */
function table(headings: readonly string[], rows: Readonly<Record<string, string | readonly string[]>>): string {
  const lines = Object.entries(rows).map(([name, cells]) => `| \`${name}\` | ${[cells].flat().join(' | ')} |`);
  return [`| ${headings.join(' | ')} |`, `|${' --- |'.repeat(headings.length)}`, ...lines].join('\n');
}

const errorRows = Object.fromEntries(
  Object.entries(errorExplanations).map(([code, { meaning, remedy }]) => [
    code,
    [String(statusOfCode[code as keyof typeof statusOfCode]), meaning, remedy],
  ]),
);

/** What applies to every endpoint of the public API, as Markdown. */
export const introduction = `Issue and top up cards, order services, fund the card account, and read what happened. Every object belongs to the
company and the environment (sandbox or live) of the API key.

# Authentication

Send your API key with every request: \`Authorization: Bearer <key>\`. A key that begins with \`fl_test_\` belongs to the
sandbox, and a key that begins with \`fl_live_\` to live. Keep keys on your servers, never in an app or a web page.

${table(['Scope', 'Allows'], scopeDescriptions)}

# Money and time

Amounts are strings, never JSON numbers: \`"10"\`, \`"10.0"\` and \`"10.00"\` are equal. Responses always have two decimals.
Times are ISO 8601 in UTC.

# Idempotency

Send an \`Idempotency-Key\` of up to 128 visible ASCII characters with every POST, and a new key for every new request. If you
do not know whether a request arrived, repeat it with the same key and the same body: Florin processes it once and returns
the original response with \`Idempotent-Replayed: true\`. Reusing a key with a different body returns
\`409 idempotency_conflict\`. A rejected request does not use up its key.

# Bulk requests

\`POST /api/v1/operations/bulk\` takes up to 500 operations, each with its own \`idempotencyKey\`, and returns the outcome of
each in the same order. An operation has the status, error and effect that it would have alone; the rejection of one does not
affect another. The response is \`200\` even if all are rejected: read \`results\`. If you get no response or a \`503\`, send the same list
again, or any part of it in any way: every key still identifies the same operation.

# Pagination

Lists are returned in pages, newest entries first. To read the next page, send the \`nextCursor\` of the current page as
\`cursor\`, with the same filters. The last page has no \`nextCursor\`. Cards and holders are returned all at once unless you
send a \`limit\`; if a complete list cannot be read to its end, the connection is closed.

# Rate limits

Requests are counted per company and environment. \`RateLimit-Policy\` states how many requests (\`q\`) are allowed in how many
seconds (\`w\`), and \`RateLimit\` how many remain (\`r\`). After a 429, wait for \`Retry-After\` seconds. A list counts as one
request for every 50 rows that it returns; the headers of the next response include them. Statements are counted separately, and so
are the operations in bulk requests: the limit is that of ten seconds, and a bulk request is admitted as long as one operation is left.

Reads of a company that arrive faster than they can be processed wait for each other. If 100 of them wait already, or if one of them
would take longer than 5 s, it returns \`503 unavailable\` with \`Retry-After\`; an operator can change both numbers. At most 100
complete lists of a company are sent at the same time.

# Statement hashes

The \`hash\` of an account statement covers its entries, dates, balances and \`revision\`. To recompute it:

1. Remove \`hash\`, \`generatedAt\` and \`company.name\` from the JSON of the statement.
2. Write the rest as canonical JSON ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)): UTF-8, the fields of every object in
   alphabetical order, no whitespace between tokens. The entries in \`data\` keep their order.
3. \`hash\` is the SHA-256 of these bytes, in lowercase hexadecimal digits.

\`revision\` is the number of the newest event of the account up to the end of the last day. Entries never change, so the
statement of a past period always has the same revision and hash. If the last day has not ended, request the statement again
with its \`revision\` to leave out later entries. \`GET /api/v1/account-statements/verify\` confirms a statement by its dates,
revision and hash.

# Webhooks

Florin posts events to your webhook endpoints. The header \`Service-Signature: t=<unix seconds>,v1=<hex>\` carries the
HMAC-SHA256 of \`t\`, a period and the raw body, keyed with the secret of the endpoint. Verify it, and verify that \`t\` is
within 300 seconds of your clock. Any 2xx response within 15 seconds acknowledges the delivery. An event can be delivered
more than once, with the same \`id\`. Of two events about one object, the one with the smaller \`objectVersion\` is older.

${table(['Event', 'When'], eventMeanings)}

# Errors

A body is JSON in UTF-8 of at most 64 KiB, or 256 KiB for a bulk request, without compression, and no key may occur twice in an object. Text must contain a
visible character, and no control characters. A request that is not received completely within 30 seconds is not processed and
returns \`408 request_timeout\`: send it again.

Every error has the same body: \`statusCode\`, \`message\` for people, \`code\` for programs, and \`requestId\`, which is also in the
header \`X-Request-Id\`. A message lists at most 10 problems, and the body has less than 4 KiB.

${table(['Code', 'Status', 'Meaning', 'Remedy'], errorRows)}
`;

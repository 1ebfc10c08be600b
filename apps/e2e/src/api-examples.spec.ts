import { randomUUID } from 'node:crypto';
import type { Account } from './harness/account';
import type { ApiResponse } from './harness/client';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';

interface MediaType {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: { readonly 'application/json': MediaType } };
}

interface Example {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** What creates the objects that the other examples use, in this order. */
const first = ['sandbox.fund', 'holders.create', 'operations.create', 'sandbox.createTransaction', 'invoices.create'];
/** What ends them. */
const last = ['sandbox.setCardStatus'];

describe('the request examples of the API reference', () => {
  let account: Account;
  let examples: readonly Example[];
  /** The ids of the examples, and those of the objects that the examples have created. */
  const ids = new Map<string, string>([['https://example.com/webhooks', 'http://127.0.0.1:9/webhooks']]);
  const paths = new Map<string, string>();

  const withIds = (text: string): string => [...ids].reduce((all, [from, to]) => all.replaceAll(from, to), text);

  async function send({ method, path, body }: Example): Promise<ApiResponse> {
    const [, resource] = /([a-z-]+)\/\{id\}/.exec(path) ?? [];
    const url = resource === undefined ? path : path.replace('{id}', paths.get(resource) ?? 'unknown');
    const headers = { 'Idempotency-Key': randomUUID() };
    return account.send(method.toUpperCase(), url, { rawBody: withIds(JSON.stringify(body)), headers });
  }

  async function accepted(example: Example): Promise<Record<string, unknown>> {
    const response = await send(example);
    expect([example.operationId, response.status < 300, response.text]).toEqual([
      example.operationId,
      true,
      expect.anything(),
    ]);
    return response.body;
  }

  const exampleOf = (operationId: string): Example => examples.find((each) => each.operationId === operationId)!;

  beforeAll(async () => {
    const florin = await sharedFlorin();
    account = await new Operator(florin).newAccount('1000');
    const { body } = await account.get('/api/v1/openapi.json');
    const documented = body['paths'] as Record<string, Record<string, DocumentedOperation>>;
    examples = Object.entries(documented).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId, requestBody }]) =>
        examplesOf(requestBody?.content['application/json']).map((example) => ({
          operationId,
          method,
          path,
          body: example,
        })),
      ),
    );
  });

  it('create the objects that others use', async () => {
    const exampleIds = exampleOf('operations.create').body as { readonly holderId: string };
    await accepted(exampleOf('sandbox.fund'));
    const holder = await accepted(exampleOf('holders.create'));
    ids.set(exampleIds.holderId, String(holder['id']));
    const { id } = await accepted(exampleOf('operations.create'));
    const { result } = await account.untilEnded(String(id));
    const { cardId } = exampleOf('sandbox.createTransaction').body as { readonly cardId: string };
    ids.set(cardId, result.cardId!);
    const payment = await accepted({
      ...exampleOf('sandbox.createTransaction'),
      body: { ...(exampleOf('sandbox.createTransaction').body as object), capture: false },
    });
    const invoice = await accepted(exampleOf('invoices.create'));
    const endpoint = await accepted(exampleOf('webhookEndpoints.create'));
    const event = await accepted(exampleOf('sandbox.triggerEvent'));
    paths.set('holders', String(holder['id'])).set('cards', result.cardId!).set('transactions', String(payment['id']));
    paths.set('invoices', String(invoice['id'])).set('webhook-endpoints', String(endpoint['id']));
    paths.set('events', String(event['id']));
  });

  it('are all accepted', async () => {
    const others = examples.filter(({ operationId }) => !first.includes(operationId) && !last.includes(operationId));
    const ended = examples.filter(({ operationId }) => last.includes(operationId));
    const operations = examples.filter(({ operationId }) => operationId === 'operations.create');
    for (const example of [...operations, ...others, ...ended]) await accepted(example);
    expect(examples.length).toBeGreaterThan(15);
  });
});

function examplesOf(content: MediaType | undefined): readonly unknown[] {
  if (content === undefined) return [];
  return content.examples === undefined ? [content.example] : Object.values(content.examples).map(({ value }) => value);
}

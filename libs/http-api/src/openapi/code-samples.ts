import type { JsonSchema, Operation } from './document-types';
import { exampleOf } from './example-of';

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface Request {
  readonly method: string;
  /** With examples of the parameters that are required. */
  readonly url: string;
  /** `florin.cards.get` */
  readonly call: string;
  readonly id?: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly isPaginated: boolean;
}

/** The same request with curl, the TypeScript SDK and Python, with the first example of its body. */
export function codeSamples(
  method: string,
  url: string,
  operation: Operation,
  named: Readonly<Record<string, JsonSchema>>,
): readonly CodeSample[] {
  const request = requestOf(method, url, operation, named);
  return [
    { lang: 'shell', label: 'curl', source: curl(request) },
    { lang: 'typescript', label: 'TypeScript', source: typeScript(request) },
    { lang: 'python', label: 'Python', source: python(request) },
  ];
}

function requestOf(
  method: string,
  url: string,
  { operationId, parameters, requestBody }: Operation,
  named: Readonly<Record<string, JsonSchema>>,
): Request {
  const required = (place: string) => parameters.filter((each) => each.in === place && each.required);
  const ids = required('path').map(({ schema }) => String(exampleOf(schema, named)));
  const query = Object.fromEntries(required('query').map(({ name, schema }) => [name, exampleOf(schema, named)]));
  const { example, examples = {} } = requestBody?.content['application/json'] ?? {};
  const [id] = ids;
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return {
    method: method.toUpperCase(),
    url:
      ids.reduce((path, value) => path.replace(/\{\w+\}/, value), url) +
      (search.length === 0 ? '' : `?${search.join('&')}`),
    call: `florin.${operationId}`,
    id,
    query,
    body: example ?? Object.values(examples)[0]?.value,
    isPaginated: /\.list/.test(operationId) && parameters.some(({ name }) => name === 'limit'),
  };
}

function curl({ method, url, body }: Request): string {
  const json = body === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body)}'`];
  const key = method === 'POST' ? ['-H "Idempotency-Key: $(uuidgen)"'] : [];
  return [`curl -X ${method} "${url}"`, '-H "Authorization: Bearer $FLORIN_KEY"', ...key, ...json].join(' \\\n  ');
}

function typeScript({ url, call, id, query, body, isPaginated }: Request): string {
  const options = Object.keys(query).length === 0 ? body : query;
  const values = [id, options].filter((value) => value !== undefined);
  const args = values.map((value) => JSON.stringify(value, null, 2).replace(/^( +)"(\w+)":/gm, '$1$2:')).join(', ');
  const use = isPaginated
    ? [`for await (const item of ${call}(${args})) {`, '  console.log(item);', '}']
    : [`console.log(await ${call}(${args}));`];
  const create = `const florin = new Florin({ apiKey: process.env.FLORIN_KEY!, baseUrl: '${new URL(url).origin}' });`;
  return ["import { Florin } from '@florin/sdk';", '', create, ...use].join('\n');
}

const pythonWords: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

function python({ method, url, body }: Request): string {
  const key = method === 'POST' ? ', "Idempotency-Key": str(uuid.uuid4())' : '';
  const json = JSON.stringify(body, null, 4)?.replace(
    /: (true|false|null)(?=,?\n)/g,
    (_, word: string) => `: ${pythonWords[word]}`,
  );
  const args = [
    `"${url}"`,
    `headers={"Authorization": f"Bearer {os.environ['FLORIN_KEY']}"${key}}`,
    ...(json === undefined ? [] : [`json=${json.replaceAll('\n', '\n    ')}`]),
  ];
  const imports = ['import os', ...(method === 'POST' ? ['import uuid'] : []), '', 'import httpx', ''];
  const send = [`response = httpx.${method.toLowerCase()}(`, ...args.map((arg) => `    ${arg},`), ')'];
  return [...imports, ...send, 'response.raise_for_status()', 'print(response.text)'].join('\n');
}

import { apiDocuments } from '@florin/http-api';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

type Document = ReturnType<typeof apiDocuments>['public'];

const documents = JSON.parse(JSON.stringify(apiDocuments('http://localhost:3000'))) as Record<
  'public' | 'operator',
  Document
>;

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );

describe.each([
  ['docs/openapi.json', documents.public],
  ['docs/openapi-operator.json', documents.operator],
])('%s', (file, document) => {
  it('matches the code (otherwise run `npm run generate:openapi`)', () => {
    expect(JSON.parse(readFileSync(resolve(__dirname, '../..', file), 'utf8'))).toEqual(document);
  });

  it('has unique operation ids', () => {
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(20);
  });

  it.each(operationsOf(document).map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'names %s by the verb of its method',
    (_name, { method, path, operationId }) => {
      const verb = operationId.slice(operationId.indexOf('.') + 1);
      const verbs: Readonly<Record<string, RegExp>> = {
        get: path.endsWith('}') ? /^get$/ : /^(get|list|verify|explain)/,
        patch: /^update$/,
        put: /^define$/,
        delete: /^delete$/,
        post: /^(?!(get|list|update|delete)([A-Z]|$))/,
      };
      expect(verb).toMatch(verbs[method]!);
    },
  );
});

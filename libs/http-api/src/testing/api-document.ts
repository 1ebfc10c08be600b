import type { MediaType, OpenApiDocument, Operation, Response } from '../openapi/document-types';

/** What a reference such as `#/components/schemas/Error` names. */
export function targetOf(document: OpenApiDocument, reference: string): unknown {
  const names = reference.slice('#/'.length).split('/');
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}

/** The responses of an operation by status, with those that it shares with others. */
export function responsesOf(document: OpenApiDocument, { responses }: Operation): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      '$ref' in response ? (targetOf(document, response.$ref) as Response) : response,
    ]),
  );
}

/** The error codes that an operation lists. */
export function errorCodesOf(document: OpenApiDocument, operation: Operation): readonly string[] {
  return Object.values(responsesOf(document, operation)).flatMap(
    ({ description }) => description.match(/(?<=^- `)[a-z_]+(?=`: )/gm) ?? [],
  );
}

/** All examples of a body. */
export function examplesOf({ example, examples }: MediaType): readonly unknown[] {
  return examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
}

import type { Operation, Parameter } from './document-types';

/** A command that can be pasted into a terminal, with `$FLORIN_KEY` for the secret. */
export function curlExample(baseUrl: string, path: string, method: string, operation: Operation): string {
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleValue(operation, 'path', name));
  const query = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const search = query.map(({ name }) => `${name}=${exampleValue(operation, 'query', name)}`).join('&');
  const url = quoted(`${baseUrl}${target}${search === '' ? '' : `?${search}`}`);
  const lines = [method === 'get' ? `curl ${url}` : `curl -X ${method.toUpperCase()} ${url}`];
  lines.push('-H "Authorization: Bearer $FLORIN_KEY"');
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (place === 'header' && required) lines.push(`-H ${quoted(`${name}: ${String(schema.examples?.[0])}`)}`);
  }
  const example = operation.requestBody?.content['application/json']?.example;
  if (example !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(example))}`);
  }
  return lines.join(' \\\n  ');
}

function exampleValue(operation: Operation, place: Parameter['in'], name: string): string {
  const parameter = operation.parameters.find((candidate) => candidate.in === place && candidate.name === name);
  return encodeURIComponent(String(parameter?.schema.examples?.[0] ?? name));
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

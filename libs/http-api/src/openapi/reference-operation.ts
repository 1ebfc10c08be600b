import { curlExample } from './curl-example';
import type { Content, JsonSchema, OpenApiDocument, Operation } from './document-types';
import { html, prose, type SafeHtml } from './html';

export function anchorOf({ operationId }: Operation): string {
  return operationId;
}

export function operationSection(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: Operation,
): SafeHtml {
  const { schemas } = document.components;
  const baseUrl = document.servers[0]?.url ?? '';
  const success = Object.entries(operation.responses)[0];
  return html`
    <article id="${anchorOf(operation)}">
      <h3><a href="#${anchorOf(operation)}">${operation.summary}</a></h3>
      <p class="route"><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code></p>
      <p>${prose(operation.description)}</p>
      ${parameterTable(operation)}
      ${operation.requestBody === undefined ? '' : fieldTable('Body', operation.requestBody.content, schemas)}
      <h4>Example</h4>
      <pre>${curlExample(baseUrl, path, method, operation)}</pre>
      ${success === undefined ? '' : successExample(success[0], success[1].content)}
      ${success === undefined ? '' : fieldTable('Answer', success[1].content, schemas)} ${responseTable(operation)}
    </article>
  `;
}

function parameterTable({ parameters }: Operation): SafeHtml {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(
    (parameter) => html`
      <tr>
        <td><code>${parameter.name}</code>${required(parameter.required)}</td>
        <td>${parameter.in}</td>
        <td>${typeText(parameter.schema)}</td>
        <td>${prose(parameter.description ?? '')}</td>
      </tr>
    `,
  );
  return html`<h4>Parameters</h4>
    <table>
      <tr>
        <th>Name</th>
        <th>In</th>
        <th>Type</th>
        <th>Meaning</th>
      </tr>
      ${rows}
    </table>`;
}

function fieldTable(title: string, content: Content | undefined, schemas: Record<string, JsonSchema>): SafeHtml {
  const schema = content?.['application/json']?.schema;
  const rows = schema === undefined ? [] : fieldRows(schema, schemas, '');
  if (rows.length === 0) return html``;
  return html`<h4>${title}</h4>
    <table>
      <tr>
        <th>Field</th>
        <th>Type</th>
        <th>Meaning</th>
      </tr>
      ${rows}
    </table>`;
}

/** One row per field, those of inner objects behind a dot: `data[].id`. */
function fieldRows(schema: JsonSchema, schemas: Record<string, JsonSchema>, prefix: string): SafeHtml[] {
  const resolved = resolve(schema, schemas);
  if (resolved.oneOf !== undefined) {
    return resolved.oneOf.flatMap((one) => [alternativeRow(one), ...fieldRows(one, schemas, prefix)]);
  }
  if (resolved.items !== undefined) return fieldRows(resolved.items, schemas, `${prefix}[]`);
  return Object.entries(resolved.properties ?? {}).flatMap(([name, given]) => {
    const property = resolve(given, schemas);
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const row = html`
      <tr>
        <td><code>${path}</code>${required(resolved.required?.includes(name) === true)}</td>
        <td>${typeText(property)}</td>
        <td>${prose(property.description ?? '')}</td>
      </tr>
    `;
    return [row, ...fieldRows(property, schemas, path)];
  });
}

/** Between the fields of one alternative and those of the next. */
function alternativeRow({ $ref = '' }: JsonSchema): SafeHtml {
  return $ref === ''
    ? html``
    : html`<tr>
        <th colspan="3">${$ref.replace(componentPrefix, '')}</th>
      </tr>`;
}

const componentPrefix = '#/components/schemas/';

function resolve(schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  return schema.$ref === undefined ? schema : (schemas[schema.$ref.replace(componentPrefix, '')] ?? {});
}

function required(isRequired: boolean): SafeHtml {
  return isRequired ? html` <i title="required">*</i>` : html``;
}

function typeText(schema: JsonSchema): SafeHtml {
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return html`${schema.enum.map((value, index) => html`${index === 0 ? '' : ' · '}<code>${String(value)}</code>`)}`;
  }
  const alternatives = (schema.anyOf ?? schema.oneOf)?.map(({ type }) => String(type ?? 'object'));
  const type = alternatives?.join(' or ') ?? [schema.type ?? 'object'].flat().join(' or ');
  return html`${schema.format === undefined ? type : `${type} (${schema.format})`}`;
}

function successExample(status: string, content: Content | undefined): SafeHtml {
  const example = content?.['application/json']?.example;
  return example === undefined
    ? html``
    : html`<pre>
HTTP ${status}

${JSON.stringify(example, null, 2)}</pre>`;
}

function responseTable({ responses }: Operation): SafeHtml {
  const rows = Object.entries(responses).map(
    ([status, response]) =>
      html`<tr>
        <td><code>${status}</code></td>
        <td>${prose(response.description)}</td>
      </tr>`,
  );
  return html`<h4>Status codes</h4>
    <table>
      <tr>
        <th>Status</th>
        <th>Meaning</th>
      </tr>
      ${rows}
    </table>`;
}

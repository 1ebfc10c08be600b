import type { JsonSchema } from './document-types';

/** A value that fits a schema: its example if it has one, else a simple value of its type. */
export function exampleOf(schema: JsonSchema, named: Readonly<Record<string, JsonSchema>>): unknown {
  const given = schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default;
  if (given !== undefined) return given;
  if (schema.$ref !== undefined) return exampleOf(named[schema.$ref.replace('#/components/schemas/', '')] ?? {}, named);
  const [alternative] = schema.anyOf ?? schema.oneOf ?? [];
  if (alternative !== undefined) return exampleOf(alternative, named);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property, named)]),
      );
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, named)];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'text';
  }
}

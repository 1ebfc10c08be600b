import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { documentationOf } from '../documented-schema';
import type { JsonSchema, Response } from './document-types';

const prefix = '#/components/schemas/';

/** Turns zod schemas into JSON Schema, and gathers those that have a name under `#/components/schemas`. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};
  /** The responses that endpoints share, by name. */
  readonly responses: Record<string, Response> = {};

  /** What a client may send. */
  input(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'input');
  }

  /** What it gets back. */
  output(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'output');
  }

  /** The schema that a reference names, or the schema itself. */
  resolve(schema: JsonSchema): JsonSchema {
    return schema.$ref === undefined ? schema : (this.schemas[schema.$ref.slice(prefix.length)] ?? {});
  }

  private convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const json = z.toJSONSchema(schema, {
      io,
      override: ({ zodSchema, jsonSchema }) => {
        const documented = documentationOf(zodSchema);
        if (documented !== undefined) Object.assign(jsonSchema, this.convert(documented, io));
        simplify(jsonSchema as WritableSchema);
      },
    });
    const text = JSON.stringify(json).replaceAll('"#/$defs/', `"${prefix}`);
    const {
      $schema: _version,
      $defs = {},
      ...root
    } = JSON.parse(text) as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    for (const part of [root, ...Object.values($defs)]) mapDiscriminator(part, $defs);
    for (const [name, definition] of Object.entries($defs)) this.add(name, definition);
    return root;
  }

  private add(name: string, definition: JsonSchema): void {
    const known = (this.schemas[name] ??= definition);
    if (!isDeepStrictEqual(known, definition))
      throw new Error(`Two schemas have the name ${name}: rename one of them.`);
  }
}

type WritableSchema = { -readonly [Keyword in keyof JsonSchema]: JsonSchema[Keyword] };

function simplify(schema: WritableSchema): void {
  // zod drops the `examples` of what a transformation is part of, so these are given as one `example`.
  if (schema['example'] !== undefined) schema.examples = [schema['example']];
  delete schema['example'];
  // The format says it; the pattern that enforces it would fill half a page.
  if (schema.format === 'date' || schema.format === 'date-time') delete schema.pattern;
  // The reference says it; see `referenceTo`.
  if (schema.$ref?.startsWith(prefix)) for (const keyword of ['type', 'minLength', 'maxLength']) delete schema[keyword];
  if (schema.type === 'integer') describeInteger(schema);
}

/** Generators choose a type by the format, which also implies the bounds of a number that has no others. */
function describeInteger(schema: WritableSchema): void {
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  schema.format ??= Number(schema['maximum']) < 2 ** 31 ? 'int32' : 'int64';
}

/** Generators need to know which value of the property selects which schema. */
function mapDiscriminator(
  { discriminator, oneOf = [] }: JsonSchema,
  named: Readonly<Record<string, JsonSchema>>,
): void {
  if (discriminator === undefined) return;
  const selected = oneOf.flatMap(({ $ref = '' }) => {
    const { enum: values, const: value } =
      named[$ref.slice(prefix.length)]?.properties?.[discriminator.propertyName] ?? {};
    return (values ?? [value]).map((each) => [String(each), $ref] as const);
  });
  discriminator.mapping = Object.fromEntries(selected);
}

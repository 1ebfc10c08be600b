import { z } from 'zod';
import type { JsonSchema } from './document-types';

/** Turns zod schemas into JSON Schema, and gathers those that have a name under `#/components/schemas`. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /** What a client may send. */
  input(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'input');
  }

  /** What it gets back. */
  output(schema: z.ZodType): JsonSchema {
    return this.convert(schema, 'output');
  }

  private convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const json = z.toJSONSchema(schema, {
      io,
      override: ({ jsonSchema }) => {
        // The format says it; the pattern that enforces it would fill half a page.
        if (jsonSchema.format === 'date' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      },
    });
    const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/');
    const {
      $schema: _version,
      $defs = {},
      ...root
    } = JSON.parse(text) as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    Object.assign(this.schemas, $defs);
    return root;
  }
}

import * as z from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema (draft 7, which editors support) of the documents that a schema reads. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema => {
  const json = z.toJSONSchema(schema, {
    target: 'draft-07',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // The key belongs to the documentation's tables, not to JSON Schema.
      delete jsonSchema['absent'];
      // zod omits a codec's metadata, since it may describe the other side; here it never does.
      const { default: value } = z.globalRegistry.get(zodSchema) ?? {};
      if (value !== undefined) {
        jsonSchema.default = value;
      }
    },
  });
  delete json.$schema;
  return withNulls(json) as JsonSchema;
};

/** The address of a document's schema: the npm package has the schemas, and unpkg serves the files of packages. */
export const schemaAddress = (document: string): string => `https://unpkg.com/outrigger/dist/schemas/${document}.json`;

/** The JSON Schema of a whole document, for editors and other programs. */
export const documentSchemaOf = (document: string, title: string, schema: z.ZodType): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: schemaAddress(document),
  title,
  ...jsonSchemaOf(schema),
});

/** `null` is the same as absent, wherever a field may be absent. */
function withNulls(json: unknown): unknown {
  if (Array.isArray(json)) {
    return json.map(withNulls);
  }
  if (typeof json !== 'object' || json === null) {
    return json;
  }
  const fields = Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withNulls(value)]));
  const { properties, required = [] } = fields;
  if (typeof properties !== 'object' || properties === null) {
    return fields;
  }
  const written = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, property]) => [
    name,
    (required as readonly string[]).includes(name) ? property : orNull(property),
  ]);
  return { ...fields, properties: Object.fromEntries(written) as unknown };
}

function orNull(property: JsonSchema): JsonSchema {
  const { type, anyOf } = property;
  const words = property['enum'] as readonly unknown[] | undefined;
  if (Array.isArray(anyOf)) {
    const forms = anyOf as readonly JsonSchema[];
    const isNullable = forms.some((form) => form['type'] === 'null');
    return isNullable ? property : { ...property, anyOf: [...forms, { type: 'null' }] };
  }
  if (typeof type === 'string') {
    return { ...property, type: [type, 'null'], enum: words && [...words, null] };
  }
  return property;
}

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
  return typeof properties !== 'object' || properties === null
    ? fields
    : {
        ...fields,
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [
            name,
            (required as readonly string[]).includes(name) ? (property as unknown) : orNull(property as JsonSchema),
          ]),
        ),
      };
}

function orNull(property: JsonSchema): JsonSchema {
  const { type, anyOf } = property;
  const words = property['enum'] as readonly unknown[] | undefined;
  if (Array.isArray(anyOf)) {
    const forms = anyOf as readonly JsonSchema[];
    return forms.some((form) => form['type'] === 'null')
      ? property
      : { ...property, anyOf: [...forms, { type: 'null' }] };
  }
  return typeof type === 'string' ? { ...property, type: [type, 'null'], enum: words && [...words, null] } : property;
}

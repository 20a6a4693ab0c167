import type * as z from 'zod';

/** What the documentation says of a field. */
export interface FieldDocs {
  readonly description: string;
  /** What holds where the field is absent. */
  readonly absent: string;
}

/** A field with what the documentation says of it. */
export const documented = <S extends z.ZodType>(schema: S, description: string, absent: string): S =>
  schema.meta({ description, absent } satisfies FieldDocs);

/** What is said of a field; `absent` is `null` where a document always has it, or where that goes without saying. */
export const docsOf = (schema: z.ZodType): { readonly description: string; readonly absent: string | null } => {
  const { description = '', absent } = schema.meta() ?? {};
  return { description, absent: typeof absent === 'string' ? absent : null };
};

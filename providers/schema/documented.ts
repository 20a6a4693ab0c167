import type * as z from 'zod';

/** The documentation of a field. */
export interface FieldDocs {
  readonly description: string;
  /** The meaning of an absent field. */
  readonly absent: string;
}

/** A field with what the documentation says of it. */
export const documented = <S extends z.ZodType>(schema: S, description: string, absent: string): S =>
  schema.meta({ description, absent } satisfies FieldDocs);

/** The documentation of a field; `absent` is `null` for a field that is always present, or whose default is obvious. */
export const docsOf = (schema: z.ZodType): { readonly description: string; readonly absent: string | null } => {
  const { description = '', absent } = schema.meta() ?? {};
  return { description, absent: typeof absent === 'string' ? absent : null };
};

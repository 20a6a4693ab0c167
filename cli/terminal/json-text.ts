/** A document in JSON as commands print it: indented, with a newline at the end. */
export const jsonText = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`;

/** The message of an error, for one line of a log or an answer; any other value as a string. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

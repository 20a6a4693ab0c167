/** What an error says, for one line of a log or of an answer; of what is no error, as a string. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

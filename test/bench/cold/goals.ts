/** Largest size of a function's bundle, minified as it is deployed, in bytes. */
export const MAX_BUNDLE_BYTES = 3_000_000;
/** Import and initialization of a function in a new process, in milliseconds. */
export const INIT_MS = 400;
/** The first call of ingest, in milliseconds: an API server waits for the answer. */
export const FIRST_CALL_MS = 150;

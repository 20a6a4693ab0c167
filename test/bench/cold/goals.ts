/** Largest size of each function's bundle, minified as it is deployed, in bytes. */
const MAX_BUNDLE_BYTES = {
  actuate: 1_050_000,
  drain: 1_650_000,
  ingest: 600_000,
  manifests: 650_000,
  'scale-down': 2_100_000,
  'scale-up': 2_050_000,
  wake: 800_000,
  widget: 920_000,
} as const;

export type FunctionName = keyof typeof MAX_BUNDLE_BYTES;
export const FUNCTIONS = Object.keys(MAX_BUNDLE_BYTES) as readonly FunctionName[];
export const maxBundleBytes = (name: FunctionName): number => MAX_BUNDLE_BYTES[name];
/** Import and initialization of a function in a new process, in milliseconds. */
export const INIT_MS = 400;
/** The first call of ingest, in milliseconds: an API server waits for the answer. */
export const FIRST_CALL_MS = 150;

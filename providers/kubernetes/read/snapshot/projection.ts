declare const OUTRIGGER_PROJECTION: string | undefined;

/**
 * The way in which objects are read: the hash of the code that does it, which the build of the functions sets
 * (`scripts/build/projection.ts`). A snapshot of another version whose objects are read by the same code can be used.
 */
export const PROJECTION: string = typeof OUTRIGGER_PROJECTION === 'undefined' ? 'sources' : OUTRIGGER_PROJECTION;

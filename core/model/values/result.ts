/** An expected outcome as a value: exceptions are for bugs and I/O. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error });

/** The value of an outcome; `undefined` for an error, and for no outcome. */
export const okValue = <T>(result: Result<T, unknown> | null | undefined): T | undefined =>
  result?.ok === true ? result.value : undefined;

/** The values of the outcomes that have one. */
export const okValues = <T>(results: readonly Result<T, unknown>[]): readonly T[] =>
  results.filter((result) => result.ok).map(({ value }) => value);

/** The complaints of an outcome; none for a value. */
export const errorsOf = <E>(result: Result<unknown, readonly E[]>): readonly E[] => (result.ok ? [] : result.error);

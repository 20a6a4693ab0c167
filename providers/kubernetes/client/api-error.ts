/** Why a request to the API server came to nothing. */
export type ApiErrorKind =
  /** The server gave an answer that is no success: see `status` and `reason`. */
  | 'refused'
  /** No connection, or it broke. */
  | 'unreachable'
  /** No whole answer in time. */
  | 'timeout'
  /** TLS: one side does not trust the other's certificate. */
  | 'untrusted'
  /** A successful answer that cannot be read. */
  | 'unreadable'
  /** An answer with more bytes than are read (`TransportOptions.maxBodyBytes`). */
  | 'too large';

/** A failed request: the message says what was tried, on which server, what came back, and what to do next. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  /** HTTP status; `null` when there was no answer. */
  readonly status: number | null;
  /** The `reason` of the server's Status (`NotFound`, `Expired` …); `''` when it gave none. */
  readonly reason: string;
  /** The reasons of the Status' causes; empty when it gave none. */
  readonly causes: readonly string[];
  /** The request may succeed later, unchanged. */
  readonly retryable: boolean;
  /** When the server asks to be tried again; `null` when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(
    text: string,
    facts: {
      readonly kind: ApiErrorKind;
      readonly status?: number | null;
      readonly reason?: string;
      readonly causes?: readonly string[];
      readonly retryable: boolean;
      readonly retryAfterMs?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(text, facts.cause === undefined ? {} : { cause: facts.cause });
    this.name = 'ApiError';
    this.kind = facts.kind;
    this.status = facts.status ?? null;
    this.reason = facts.reason ?? '';
    this.causes = facts.causes ?? [];
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

export const isTooLarge = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.kind === 'too large';

export const isRefusal = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.kind === 'refused' && error.status === status;

import { present } from '@outrigger/core/model/values/present.ts';

/** Why a request to the API server failed. */
export type ApiErrorKind =
  /** An unsuccessful response: see `status` and `reason`. */
  | 'refused'
  /** No connection, or a broken one. */
  | 'unreachable'
  /** No complete response in time. */
  | 'timeout'
  /** TLS: one side does not trust the other's certificate. */
  | 'untrusted'
  /** A successful response that cannot be read. */
  | 'unreadable'
  /** A response larger than `TransportOptions.maxBodyBytes`. */
  | 'too large';

/** A failed request: the message contains the request, the server, the response, and what to do next. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  /** HTTP status; `null` without a response. */
  readonly status: number | null;
  /** The `reason` of the server's Status (`NotFound`, `Expired` …); `''` where there is none. */
  readonly reason: string;
  /** The reasons of the Status' causes. */
  readonly causes: readonly string[];
  /** The request may succeed later, unchanged. */
  readonly retryable: boolean;
  /** The server's `Retry-After`; `null` without one. */
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
    super(text, present({ cause: facts.cause }));
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

/** Whether the API server has refused with one of these HTTP statuses. */
export const isRefusal = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof ApiError && error.kind === 'refused' && error.status !== null && statuses.includes(error.status);

/** Whether the API server has refused, and will refuse the same request again. */
export const isFinalRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.kind === 'refused' && !error.retryable;

/** Whether a refusal is of an admission webhook or a ValidatingAdmissionPolicy, not of the API server itself. */
export const isDenied = (message: string): boolean => /\bdenied (?:the )?request\b/.test(message);

/** Node's code of a system error; `''` without one. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

import http from 'node:http';
import https from 'node:https';
import { setTimeout } from 'node:timers/promises';
import pRetry from 'p-retry';
import { ApiError } from './api-error.ts';
import { type ApiRequest, describe, isIdempotent, methodOf, neededRule, urlOf } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Connection } from './connection.ts';
import { type Answer, AnswerTooLarge, exchange } from './exchange.ts';

export interface TransportOptions {
  /** For one attempt, from the first byte sent to the last received, in ms. */
  readonly deadlineMs: number;
  /** For all attempts of one request and the pauses between them, in ms. */
  readonly budgetMs: number;
  readonly maxAttempts: number;
  /** Pause before the second attempt, in ms; doubled (and jittered) from then on. */
  readonly firstPauseMs: number;
  /** Connections at a time. */
  readonly maxConnections: number;
  /**
   * Largest answer that is read, unpacked, in bytes: a guard for the function's memory, of which one answer takes twice as
   * much while it is put together. Lists are read in smaller pages where a page has more.
   */
  readonly maxBodyBytes: number;
  readonly userAgent: string;
}

export const DEFAULT_TRANSPORT: TransportOptions = Object.freeze({
  deadlineMs: 10_000,
  budgetMs: 40_000,
  maxAttempts: 6,
  firstPauseMs: 200,
  maxConnections: 8,
  // A page of 5 000 pods has 30 to 40 MB. Of 1 769 MB, eight answers of this size at a time leave room for the evaluation.
  maxBodyBytes: 64 * 1024 * 1024,
  userAgent: 'outrigger',
});

export interface Transport {
  /**
   * Sends a request and reads its answer.
   *
   * Tries again on 429 (when the server says so), 5xx, broken connections and silence, as long as the budget lasts; a
   * `create` only where the server cannot have seen it or said that it did not act. A 401 fetches a new token, once.
   *
   * @param read makes the result of a successful answer. When it throws an `ApiError` that is retryable, that counts as
   *   a failed attempt.
   * @throws ApiError; the signal's reason when the caller aborts.
   */
  send<T>(request: ApiRequest, read: (answer: Answer) => T, signal?: AbortSignal): Promise<T>;
  /** Ends idle connections. */
  close(): void;
}

/** Opens a keep-alive client for one API server. Nothing is sent before the first request. */
export function createTransport(connection: Connection, overrides: Partial<TransportOptions> = {}): Transport {
  const options = { ...DEFAULT_TRANSPORT, ...overrides };
  refuseTokenInTheClear(connection);
  refuseIgnoredProxy(connection);
  const agent = agentFor(connection, options);

  async function attempt(request: ApiRequest, end: number, signal: AbortSignal | undefined): Promise<Answer> {
    const answer = await once(request, false, end, signal);
    // Tokens expire between two looks at the clock; a fresh one settles whether it was that.
    return answer.status === 401 && connection.token !== null ? once(request, true, end, signal) : answer;
  }

  async function once(
    request: ApiRequest,
    refreshToken: boolean,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const headers = await headersOf(request, connection, options.userAgent, refreshToken);
    const url = urlOf(connection.server, request);
    const deadlineMs = Math.ceil(Math.max(1, Math.min(options.deadlineMs, end - performance.now())));
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      return await exchange(url, {
        agent,
        method: methodOf(request),
        headers,
        body: request.body?.text ?? null,
        maxBodyBytes: options.maxBodyBytes,
        signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw connectionError(request, connection, error, deadline.aborted ? deadlineMs : null);
    }
  }

  return {
    async send(request, read, signal) {
      signal?.throwIfAborted();
      const end = performance.now() + options.budgetMs;
      let attempts = 0;
      try {
        return await pRetry(
          async () => {
            attempts += 1;
            const answer = await attempt(request, end, signal);
            if (answer.status < 200 || answer.status > 299) {
              throw refusal(request, connection, answer);
            }
            return readFor(request, connection, answer, read);
          },
          {
            retries: request.retried ? options.maxAttempts - 1 : 0,
            minTimeout: options.firstPauseMs,
            maxTimeout: 5_000,
            randomize: true,
            maxRetryTime: options.budgetMs,
            ...(signal === undefined ? {} : { signal }),
            shouldRetry: ({ error, retryDelay }) => mayRetry(error, retryDelay, end, signal),
          },
        );
      } catch (error) {
        throw attempts > 1 && error instanceof ApiError ? afterSeveral(error, attempts) : error;
      }
    },
    close: () => agent.destroy(),
  };
}

async function headersOf(
  { accept, body }: ApiRequest,
  { token }: Connection,
  userAgent: string,
  refreshToken: boolean,
): Promise<Readonly<Record<string, string>>> {
  return {
    accept,
    'accept-encoding': 'gzip',
    'user-agent': userAgent,
    ...(body !== null && {
      'content-type': body.contentType,
      'content-length': String(Buffer.byteLength(body.text)),
    }),
    ...(token !== null && { authorization: `Bearer ${await token(refreshToken)}` }),
  };
}

/** Is a failed attempt to be made again? Waits for as long as the server has asked for beyond the usual delay. */
async function mayRetry(
  error: Error,
  retryDelay: number,
  end: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!(error instanceof ApiError && error.retryable)) {
    return false;
  }
  const extraMs = (error.retryAfterMs ?? 0) - retryDelay;
  if (extraMs <= 0) {
    return true;
  }
  // Waiting for what cannot come in time only burns the function's time.
  return performance.now() + extraMs + retryDelay < end && (await pause(extraMs, signal));
}

function agentFor({ server, tls, proxy }: Connection, options: TransportOptions): http.Agent {
  const common = {
    keepAlive: true,
    maxSockets: options.maxConnections,
    ...(proxy === null ? {} : { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }),
  };
  if (server.protocol === 'http:') {
    return new http.Agent(common);
  }
  return new https.Agent({
    ...common,
    rejectUnauthorized: !tls.insecure,
    ...(tls.ca === null ? {} : { ca: tls.ca }),
    ...(tls.certificate === null ? {} : { cert: tls.certificate }),
    ...(tls.key === null ? {} : { key: tls.key }),
    ...(tls.serverName === null ? {} : { servername: tls.serverName }),
  });
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function refuseTokenInTheClear({ server, token, proxy }: Connection): void {
  if (server.protocol !== 'http:' || token === null) {
    return;
  }
  if (proxy !== null) {
    throw new Error(
      `The proxy would receive the bearer token for ${server.origin} unencrypted. Use an https:// address for the API server, or no proxy-url.`,
    );
  }
  if (!LOOPBACK.test(server.hostname)) {
    throw new Error(
      `${server.origin} would receive the bearer token unencrypted. Use an https:// address for the API server.`,
    );
  }
}

/** Agents of Node go through proxies from 24.5 on (22.21 in its line); older ones ignore the setting without a word. */
export function knowsProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}

function refuseIgnoredProxy({ proxy }: Connection): void {
  const { node } = process.versions;
  if (proxy !== null && !knowsProxies(node)) {
    throw new Error(
      `The kubeconfig's proxy-url needs Node 24.5 or newer, and this is Node ${node}, which would go past the proxy. Use a newer Node.`,
    );
  }
}

/** Resolves to `true` after a pause; rejects with the signal's reason when it aborts. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<true> {
  try {
    return await setTimeout(ms, true, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Whoever reads an answer knows what is wrong with it; here is known what was asked, and where. */
function readFor<T>(request: ApiRequest, connection: Connection, answer: Answer, read: (answer: Answer) => T): T {
  try {
    return read(answer);
  } catch (error) {
    throw error instanceof ApiError ? reworded(error, `${tried(request, connection)}: ${error.message}`) : error;
  }
}

/** An answer that is no success, as an error that says what to do about it. */
function refusal(request: ApiRequest, connection: Connection, answer: Answer): ApiError {
  const status = readStatus(answer.contentType, answer.body);
  const said = status.message === '' ? `HTTP ${answer.status}` : `HTTP ${answer.status}: ${status.message}`;
  return new ApiError(`${tried(request, connection)} was refused (${said}).${advice(request, answer.status)}`, {
    kind: 'refused',
    status: answer.status,
    reason: status.reason,
    causes: status.causes,
    retryable: isRetryable(request, answer.status),
    retryAfterMs: retryAfterMs(answer, status.retryAfterSeconds),
  });
}

/** 429 means that the server did not act; a 5xx leaves that open, which matters only for what must not happen twice. */
const isRetryable = (request: ApiRequest, status: number): boolean =>
  status === 429 || (status >= 500 && status !== 501 && isIdempotent(request));

function advice(request: ApiRequest, status: number): string {
  switch (status) {
    case 401:
      return ' The server does not know these credentials: on EKS, check that an access entry names the role that runs this; elsewhere, that the token has not expired.';
    case 403:
      return ` Add the rule ${neededRule(request)} to the ClusterRole that is bound to it.`;
    default:
      return '';
  }
}

function retryAfterMs(answer: Answer, fromStatus: number | null): number | null {
  const header = Number(answer.headers['retry-after']);
  const seconds = Number.isFinite(header) && header > 0 ? header : fromStatus;
  return seconds === null ? null : seconds * 1_000;
}

/** Node's codes for what another attempt will not change: somebody does not trust somebody. */
const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO)/;

/** Codes of failures before a single byte of the request was on its way. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function connectionError(
  request: ApiRequest,
  connection: Connection,
  error: unknown,
  timedOutAfterMs: number | null,
): ApiError {
  const what = tried(request, connection);
  if (timedOutAfterMs !== null) {
    return new ApiError(
      `${what} got no whole answer within ${timedOutAfterMs} ms. Check the network path (security groups, private endpoint) and the API server's load.`,
      { kind: 'timeout', retryable: isIdempotent(request), cause: error },
    );
  }
  const code = codeOf(error);
  const problem = error instanceof Error ? error.message : String(error);
  if (UNTRUSTED.test(code)) {
    return new ApiError(
      `${what} failed in TLS (${code}: ${problem}). Check that the certificate authority given is this cluster's own.`,
      { kind: 'untrusted', retryable: false, cause: error },
    );
  }
  if (error instanceof AnswerTooLarge) {
    return new ApiError(`${what} failed: ${problem}.`, { kind: 'too large', retryable: false, cause: error });
  }
  return new ApiError(`${what} failed (${problem}). Check that the server is up and can be reached from here.`, {
    kind: 'unreachable',
    retryable: isIdempotent(request) || NEVER_SENT.has(code),
    cause: error,
  });
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** `list pods at https://…`: never with the query, which may hold a continue token of kilobytes. */
const tried = (request: ApiRequest, connection: Connection): string =>
  `"${describe(request)}" at ${connection.server.origin}`;

const afterSeveral = (error: ApiError, attempts: number): ApiError =>
  reworded(error, `${error.message} (${attempts} attempts)`);

const reworded = (error: ApiError, text: string): ApiError =>
  new ApiError(text, {
    kind: error.kind,
    status: error.status,
    reason: error.reason,
    causes: error.causes,
    retryable: error.retryable,
    retryAfterMs: error.retryAfterMs,
    cause: error.cause ?? error,
  });

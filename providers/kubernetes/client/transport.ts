import { mapOptional, textIf } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import http from 'node:http';
import https from 'node:https';
import { setTimeout } from 'node:timers/promises';
import pRetry from 'p-retry';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { ApiError, codeOf, isDenied } from './api-error.ts';
import { type ApiRequest, describeRequest, isIdempotent, methodOf, neededRule, urlOf } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Connection } from './connection.ts';
import { type Answer, AnswerTooLarge, type Exchange, exchange, exchangeStream, type Taker } from './exchange.ts';

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
   * Limit of a decompressed response in bytes: it protects the function's memory, of which a response takes twice its
   * size while it is assembled. Lists use smaller pages where a page is larger.
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
  // A page of 5 000 pods has 30 to 40 MB. Of 1 769 MB, eight concurrent responses of this size leave room for the
  // evaluation.
  maxBodyBytes: 64 * 1024 * 1024,
  userAgent: 'outrigger',
});

export interface Transport {
  /**
   * Sends a request and reads the response.
   *
   * Retries on 429 (where the server asks for it), 5xx, broken connections and timeouts, within the time budget; a
   * `create` only where the server cannot have received it or reported that it did not act. A 401 fetches a new token,
   * once.
   *
   * @param read converts a successful response. A retryable `ApiError` that it throws counts as a failed attempt.
   * @throws ApiError; the signal's reason when the caller aborts.
   */
  send<T>(request: ApiRequest, read: (answer: Answer) => T, signal?: AbortSignal): Promise<T>;
  /** Opens a connection of its own; absent where there is nothing to connect to. */
  line?(): Promise<Line>;
  /** Closes idle connections. */
  close(): void;
}

/**
 * A connection to one API server, of the several behind an address: while it is kept open, one process answers all
 * requests on it. Nothing is retried.
 */
export interface Line {
  /** @throws ApiError; the signal's reason when the caller aborts. */
  send<T>(request: ApiRequest, read: (answer: Answer) => T, signal: AbortSignal): Promise<T>;
  /**
   * Sends a request and takes its response as it comes, until it ends or the taker wants no more, which closes the connection.
   *
   * @throws ApiError; what the taker throws; the signal's reason when the caller aborts.
   */
  stream(request: ApiRequest, taker: Taker, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Stands for a response that was taken as it came. */
const STREAMED: Answer = Object.freeze({ status: 200, headers: {}, contentType: '', body: Buffer.alloc(0) });

/** Opens a keep-alive client for one API server. Nothing is sent before the first request. */
export function createTransport(connection: Connection, overrides: Partial<TransportOptions> = {}): Transport {
  const options = { ...DEFAULT_TRANSPORT, ...overrides };
  refuseTokenInTheClear(connection);
  refuseIgnoredProxy(connection);
  const client: Client = { connection, options, agent: agentFor(connection, options) };

  return {
    line: () => Promise.resolve(openLine(client)),
    async send(request, read, signal) {
      signal?.throwIfAborted();
      const end = performance.now() + options.budgetMs;
      let attempts = 0;
      try {
        return await pRetry(
          async () => {
            attempts += 1;
            return readFor(
              request,
              connection,
              accepted(request, connection, await attempt(client, request, { end, signal })),
              read,
            );
          },
          {
            retries: request.retried ? options.maxAttempts - 1 : 0,
            minTimeout: options.firstPauseMs,
            maxTimeout: 5_000,
            randomize: true,
            maxRetryTime: options.budgetMs,
            ...present({ signal }),
            shouldRetry: ({ error, retryDelay }) => mayRetry(error, retryDelay, end, signal),
          },
        );
      } catch (error) {
        if (attempts > 1 && error instanceof ApiError) {
          throw reworded(error, `${error.message} (${attempts} attempts)`);
        }
        throw error;
      }
    },
    close: () => client.agent.destroy(),
  };
}

/** The client that requests are sent with. */
interface Client {
  readonly connection: Connection;
  readonly options: TransportOptions;
  readonly agent: http.Agent;
}

/** The limits of a request's time. */
interface TimeLimits {
  /** As `performance.now` tells it. */
  readonly end: number;
  readonly signal: AbortSignal | undefined;
}

async function attempt(client: Client, request: ApiRequest, limits: TimeLimits): Promise<Answer> {
  const answer = await once(client, request, limits);
  // The token may have expired since it was checked: the request is repeated with a new one.
  if (answer.status === 401 && client.connection.token !== null) {
    return once(client, request, limits, { refreshToken: true });
  }
  return answer;
}

async function once(
  { connection, options, agent }: Client,
  request: ApiRequest,
  { end, signal }: TimeLimits,
  how: { readonly refreshToken?: boolean; readonly run?: (url: URL, how: Exchange) => Promise<Answer> } = {},
): Promise<Answer> {
  const { refreshToken = false, run = exchange } = how;
  const headers = await headersOf(request, connection, options.userAgent, refreshToken);
  const url = urlOf(connection.server, request);
  const deadlineMs = Math.ceil(Math.max(1, Math.min(options.deadlineMs, end - performance.now())));
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await run(url, {
      agent,
      method: methodOf(request),
      headers,
      body: request.body?.text ?? null,
      maxBodyBytes: options.maxBodyBytes,
      signal: AbortSignal.any([deadline, signal].filter((one) => one !== undefined)),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw connectionError(request, connection, error, deadline.aborted ? deadlineMs : null);
  }
}

/** A successful response; throws the error for another. */
function accepted(request: ApiRequest, connection: Connection, answer: Answer): Answer {
  if (answer.status < 200 || answer.status > 299) {
    throw refusal(request, connection, answer);
  }
  return answer;
}

function openLine(shared: Client): Line {
  const { connection, options } = shared;
  const agent = agentFor(connection, { ...options, maxConnections: 1 });
  const client = { ...shared, agent };
  const end = performance.now() + options.budgetMs;
  return {
    async send(request, read, signal) {
      const answer = await attempt(client, request, { end, signal });
      return readFor(request, connection, accepted(request, connection, answer), read);
    },
    async stream(request, taker, signal) {
      const run = async (url: URL, how: Exchange): Promise<Answer> => {
        // Compressed, events would be held back.
        const headers = { ...how.headers, 'accept-encoding': 'identity' };
        return (await exchangeStream(url, { ...how, headers }, taker)) ?? STREAMED;
      };
      accepted(request, connection, await once(client, request, { end, signal }, { run }));
    },
    close: () => agent.destroy(),
  };
}

async function headersOf(
  { accept, body, actingAs }: ApiRequest,
  { token }: Connection,
  userAgent: string,
  refreshToken: boolean,
): Promise<Readonly<Record<string, string>>> {
  return present({
    accept,
    'accept-encoding': 'gzip',
    'user-agent': userAgent,
    'content-type': body?.contentType,
    'content-length': body && String(Buffer.byteLength(body.text)),
    'impersonate-user': actingAs,
    authorization: token && `Bearer ${await token(refreshToken)}`,
  });
}

/** Whether to repeat a failed attempt. Waits for the time that the server asked for, beyond the usual delay. */
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
  // Waiting beyond the time budget would only use up the function's time.
  return performance.now() + extraMs + retryDelay < end && (await pause(extraMs, signal));
}

function agentFor({ server, tls, proxy }: Connection, options: TransportOptions): http.Agent {
  const common = {
    keepAlive: true,
    maxSockets: options.maxConnections,
    ...present({ proxyEnv: mapOptional(proxy, (url) => ({ HTTP_PROXY: url, HTTPS_PROXY: url })) }),
  };
  if (server.protocol === 'http:') {
    return new http.Agent(common);
  }
  return new https.Agent({
    ...common,
    rejectUnauthorized: !tls.insecure,
    ...present({ ca: tls.ca, cert: tls.certificate, key: tls.key, servername: tls.serverName }),
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

/** Node's agents support proxies from 24.5 on (22.21 in its line); older ones silently ignore the setting. */
export function knowsProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}

function refuseIgnoredProxy({ proxy }: Connection): void {
  const { node } = process.versions;
  if (proxy !== null && !knowsProxies(node)) {
    throw new Error(
      `The kubeconfig's proxy-url needs Node 24.5 or newer, and this is Node ${node}, which would bypass the proxy. Use a newer Node.`,
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

/** Adds the request and the server to an error of reading its response. */
function readFor<T>(request: ApiRequest, connection: Connection, answer: Answer, read: (answer: Answer) => T): T {
  try {
    return read(answer);
  } catch (error) {
    if (error instanceof ApiError) {
      throw reworded(error, `${tried(request, connection)}: ${error.message}`);
    }
    throw error;
  }
}

/** The error for an unsuccessful response, with what to do about it. */
function refusal(request: ApiRequest, connection: Connection, answer: Answer): ApiError {
  const status = readStatus(answer.contentType, answer.body);
  const said = [`HTTP ${answer.status}`, status.message].filter((part) => part !== '').join(': ');
  return new ApiError(`${tried(request, connection)} was refused (${said}).${advice(request, answer.status, said)}`, {
    kind: 'refused',
    status: answer.status,
    reason: status.reason,
    causes: status.causes,
    retryable: isRetryable(request, answer.status),
    retryAfterMs: retryAfterMs(answer, status.retryAfterSeconds),
  });
}

/**
 * 429 means that the server did not act; after a 5xx it may have, which matters only for requests that are not
 * idempotent.
 */
const isRetryable = (request: ApiRequest, status: number): boolean =>
  status === 429 || (status >= 500 && status !== 501 && isIdempotent(request));

function advice(request: ApiRequest, status: number, said: string): string {
  switch (status) {
    case 401:
      return ' The server rejects these credentials: on EKS, check that there is an access entry for the role of this process; elsewhere, that the token has not expired.';
    case 403:
      return textIf(!isDenied(said), ` Add the rule ${neededRule(request)} to the ClusterRole that is bound to it.`);
    default:
      return '';
  }
}

function retryAfterMs(answer: Answer, fromStatus: number | null): number | null {
  const header = Number(answer.headers['retry-after']);
  const seconds = Number.isFinite(header) && header > 0 ? header : fromStatus;
  return mapOptional(seconds, (value) => value * 1_000);
}

/** Node's codes for failed trust in TLS, which a retry does not change. */
const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO)/;

/** Codes of failures before any byte of the request was sent. */
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
      `${what} got no complete response within ${timedOutAfterMs} ms. Check the network path (security groups, private endpoint) and the API server's load.`,
      { kind: 'timeout', retryable: isIdempotent(request), cause: error },
    );
  }
  const code = codeOf(error);
  const problem = messageOf(error);
  if (UNTRUSTED.test(code)) {
    return new ApiError(
      `${what} failed in TLS (${code}: ${problem}). Check that the certificate authority belongs to this cluster.`,
      { kind: 'untrusted', retryable: false, cause: error },
    );
  }
  if (error instanceof AnswerTooLarge) {
    return new ApiError(`${what} failed: ${problem}.`, { kind: 'too large', retryable: false, cause: error });
  }
  return new ApiError(
    `${what} failed (${problem}). Check that the server is running and reachable from this network.`,
    {
      kind: 'unreachable',
      retryable: isIdempotent(request) || NEVER_SENT.has(code),
      cause: error,
    },
  );
}

/** `list pods at https://…`: never with the query, which may contain a continue token of kilobytes. */
const tried = (request: ApiRequest, connection: Connection): string =>
  `"${describeRequest(request)}" at ${connection.server.origin}`;

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

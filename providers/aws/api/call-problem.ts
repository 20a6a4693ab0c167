import { required } from '@outrigger/core/model/values/existing.ts';
import { type AwsFailure, failureOf, UNAUTHENTICATED } from './failures.ts';

/** Problems of a call, as a person at a terminal tells them apart. */
export type CallProblemKind =
  /** No credentials exist, or the credentials are expired or not accepted. */
  | 'unauthenticated'
  | 'denied'
  | 'not found'
  | 'throttled'
  /** No connection, or no answer in time. */
  | 'no answer'
  | 'failed';

/** A cause and a next step. */
interface CallProblem {
  readonly kind: CallProblemKind;
  /** A clause without a full stop; it has the error code and the message of AWS or the network. */
  readonly cause: string;
  /** In sentences. */
  readonly remedy: string;
}

interface ProblemRow {
  readonly kind: CallProblemKind;
  readonly matches: (failure: AwsFailure) => boolean;
  /** A clause, to which the code and the message of the error are added. */
  readonly cause: (failure: AwsFailure) => string;
  readonly remedy: (failure: AwsFailure, action: string | null) => string;
}

const EXPIRED: ReadonlySet<string> = new Set(['ExpiredToken', 'ExpiredTokenException', 'RequestExpired']);

/** Errors of the network by their code; the codes of files and processes look alike. */
const NETWORK =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONN\w+|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL|EPIPE|EPROTO|UND_ERR_\w+|NetworkingError|CERT_\w+|\w+_CERT(?:_\w+)?|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+)$/;

const NO_HOST: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);

const LOG_IN = 'Log in (aws sso login), or name a profile that has credentials with --profile.';

/** Every problem of a call with its explanation. The first row that matches counts. */
const PROBLEMS: readonly ProblemRow[] = [
  {
    kind: 'unauthenticated',
    // The SDK has one name for both: credentials that are absent, and a session whose login is over.
    matches: ({ code, message }) => EXPIRED.has(code) || (isWithoutCredentials(code) && /expired/i.test(message)),
    cause: () => `the AWS credentials${ofProfile()} are expired`,
    remedy: () => LOG_IN,
  },
  {
    kind: 'unauthenticated',
    matches: ({ code }) => isWithoutCredentials(code),
    cause: () => {
      const profile = namedProfile();
      return profile === null
        ? 'there are no AWS credentials'
        : `the AWS profile ${profile} has no credentials, or does not exist`;
    },
    remedy: () => LOG_IN,
  },
  {
    kind: 'unauthenticated',
    matches: ({ code }) => UNAUTHENTICATED.has(code),
    cause: () => `AWS does not accept the credentials${ofProfile()}`,
    remedy: () =>
      'Check the access key, the clock of this computer, and that the region is enabled for the account, or log in again (aws sso login).',
  },
  {
    kind: 'denied',
    matches: ({ class: failureClass }) => failureClass === 'Authorization',
    cause: () => 'access is denied',
    remedy: ({ message }, called) => {
      const { action, principal } = deniedIn(message);
      return `Allow ${action ?? called ?? 'the action'} to ${principal ?? 'the user or role of the credentials'}, or use credentials that have this permission.`;
    },
  },
  {
    kind: 'no answer',
    matches: ({ code }) => NO_HOST.has(code),
    cause: ({ message }) => {
      const region = regionIn(message);
      return region === null ? 'there is no such host' : `there is no such host, or no region ${region}`;
    },
    remedy: () => 'Check the region, and the DNS of this computer.',
  },
  {
    kind: 'no answer',
    matches: ({ class: failureClass, code }) => failureClass === 'Timeout' || NETWORK.test(code),
    cause: ({ class: failureClass }) =>
      failureClass === 'Timeout' ? 'no answer came in time' : 'there is no connection',
    remedy: () => 'Check the network of this computer, its proxy (HTTPS_PROXY), and the endpoint if one is given.',
  },
  {
    kind: 'throttled',
    matches: ({ class: failureClass }) => failureClass === 'Throttled',
    cause: () => 'AWS throttles the calls of this account in the region',
    remedy: () => 'Try again later. If it lasts, find out what else calls the API in this account and region.',
  },
  {
    kind: 'not found',
    matches: ({ code }) => /(?:NotFound(?:Exception|Fault)?|NoSuch\w+)$/.test(code),
    cause: () => 'AWS does not know the resource',
    remedy: () => 'Check its name, the region and the account.',
  },
  {
    kind: 'failed',
    matches: () => true,
    cause: () => 'AWS answers with an error',
    remedy: () => 'If it lasts, correct what the message names.',
  },
];

const isWithoutCredentials = (code: string): boolean => code === 'CredentialsProviderError';

/** The profile of the AWS configuration that the clients use, if one is named. */
const namedProfile = (): string | null => process.env['AWS_PROFILE'] ?? null;

function ofProfile(): string {
  const profile = namedProfile();
  return profile === null ? '' : ` of profile ${profile}`;
}

/** The action and who called it, as IAM writes both into the message of a denied call. */
const deniedIn = (
  message: string,
): { readonly action: string | undefined; readonly principal: string | undefined } => ({
  action: /not authorized to perform: ([\w-]+:\w+)/.exec(message)?.[1],
  principal: /User: (\S+) is not authorized/.exec(message)?.[1],
});

const regionIn = (message: string): string | null => /\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\./.exec(message)?.[1] ?? null;

/**
 * Explains the error of a call of AWS.
 *
 * @param action the IAM action of the call, where the caller knows it
 * @returns `null` for an error that is neither of AWS nor of the network
 */
export function problemOf(error: unknown, action: string | null = null): CallProblem | null {
  const failure = failureOf(error);
  if (failure === null || !isOfCall(error as Error, failure)) {
    return null;
  }
  const { code, message } = failure;
  const row = required(
    PROBLEMS.find(({ matches }) => matches(failure)),
    code,
  );
  const said = message.includes(code) ? message : `${code}: ${message}`;
  return { kind: row.kind, cause: `${row.cause(failure)} (${said})`, remedy: row.remedy(failure, action) };
}

/** An error with a code may also be of a file or a process that a command uses. */
const isOfCall = (error: Error, { class: failureClass, code }: AwsFailure): boolean =>
  '$metadata' in error || failureClass !== 'Other' || NETWORK.test(code);

/**
 * The error for a required call: the operation, why it failed, and what to do next. An error that is neither of AWS nor
 * of the network is returned as it is.
 *
 * @param operation as the subject of a sentence: `DescribeCluster of EKS cluster web in eu-west-1`
 */
export function callFailed(operation: string, error: unknown): unknown {
  const problem = problemOf(error);
  if (problem === null) {
    return error;
  }
  return new Error(`${operation} failed: ${problem.cause}. ${problem.remedy}`, { cause: error });
}

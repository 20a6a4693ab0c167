import { AccessDeniedException, ResourceNotFoundException } from '@aws-sdk/client-eks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { callFailed, problemOf } from '../../../../providers/aws/api/call-problem.ts';

const USER = 'arn:aws:iam::123456789012:user/ann';
const CLUSTER = 'arn:aws:eks:eu-west-1:123456789012:cluster/web';

const $metadata = { httpStatusCode: 400, requestId: '6a1f', attempts: 1, totalRetryDelay: 0 };

/** An error that a service answers with, as the SDK makes it where its model has no class for the code. */
const answer = (name: string, message: string): Error =>
  Object.assign(new Error(message), { name, $fault: 'client', $metadata });

/** An error of Node's sockets, as the SDK passes it on. */
const socket = (code: string, message: string): Error =>
  Object.assign(new Error(message), { errno: -1, code, syscall: 'connect', $metadata: { attempts: 4 } });

/** An error of the SDK's credential chain, before anything is sent. */
const withoutCredentials = (message: string): Error =>
  Object.assign(new Error(message), { name: 'CredentialsProviderError', tryNextLink: true });

const denied = (message: string): Error => new AccessDeniedException({ message, $metadata });

beforeEach(() => {
  vi.stubEnv('AWS_PROFILE', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('an error of a call names the operation, the cause and the next step', () => {
  const LOG_IN = 'Log in (aws sso login), or name a profile that has credentials with --profile.';
  const NETWORK = 'Check the network of this computer, its proxy (HTTPS_PROXY), and the endpoint if one is given.';

  test.each<[string, Error, string]>([
    [
      'no credentials',
      withoutCredentials('Could not load credentials from any providers'),
      `there are no AWS credentials (CredentialsProviderError: Could not load credentials from any providers). ${LOG_IN}`,
    ],
    [
      'a login that is over',
      withoutCredentials(
        'The SSO session associated with this profile has expired. To refresh this SSO session run aws sso login with the corresponding profile.',
      ),
      `the AWS credentials are expired (CredentialsProviderError: The SSO session associated with this profile has expired. To refresh this SSO session run aws sso login with the corresponding profile.). ${LOG_IN}`,
    ],
    [
      'an expired token',
      answer('ExpiredTokenException', 'The security token included in the request is expired'),
      `the AWS credentials are expired (ExpiredTokenException: The security token included in the request is expired). ${LOG_IN}`,
    ],
    [
      'an unknown access key',
      answer('UnrecognizedClientException', 'The security token included in the request is invalid.'),
      'AWS does not accept the credentials (UnrecognizedClientException: The security token included in the request is invalid.). Check the access key, the clock of this computer, and that the region is enabled for the account, or log in again (aws sso login).',
    ],
    [
      'a missing permission',
      denied(`User: ${USER} is not authorized to perform: eks:DescribeCluster on resource: ${CLUSTER}`),
      `access is denied (AccessDeniedException: User: ${USER} is not authorized to perform: eks:DescribeCluster on resource: ${CLUSTER}). Allow eks:DescribeCluster to ${USER}, or use credentials that have this permission.`,
    ],
    [
      'a missing permission without a name',
      denied('Access denied'),
      'access is denied (AccessDeniedException: Access denied). Allow the action to the user or role of the credentials, or use credentials that have this permission.',
    ],
    [
      'a region that does not exist',
      socket('ENOTFOUND', 'getaddrinfo ENOTFOUND eks.eu-wst-1.amazonaws.com'),
      'there is no such host, or no region eu-wst-1 (getaddrinfo ENOTFOUND eks.eu-wst-1.amazonaws.com). Check the region, and the DNS of this computer.',
    ],
    [
      'an endpoint that does not exist',
      socket('ENOTFOUND', 'getaddrinfo ENOTFOUND aws.example'),
      'there is no such host (getaddrinfo ENOTFOUND aws.example). Check the region, and the DNS of this computer.',
    ],
    [
      'a closed port',
      socket('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:4566'),
      `there is no connection (connect ECONNREFUSED 127.0.0.1:4566). ${NETWORK}`,
    ],
    [
      'a late answer',
      Object.assign(new Error('a request has exceeded the configured 10000 ms requestTimeout.'), {
        name: 'TimeoutError',
        code: 'ETIMEDOUT',
        $metadata: { attempts: 4 },
      }),
      `no answer came in time (TimeoutError: a request has exceeded the configured 10000 ms requestTimeout.). ${NETWORK}`,
    ],
    [
      'throttling',
      answer('ThrottlingException', 'Rate exceeded'),
      'AWS throttles the calls of this account in the region (ThrottlingException: Rate exceeded). Try again later. If it lasts, find out what else calls the API in this account and region.',
    ],
    [
      'a resource that does not exist',
      new ResourceNotFoundException({ message: 'No cluster found for name: web.', $metadata }),
      'AWS does not know the resource (ResourceNotFoundException: No cluster found for name: web.). Check its name, the region and the account.',
    ],
    [
      'any other answer',
      answer('ClusterBusy', 'Try later'),
      'AWS answers with an error (ClusterBusy: Try later). If it lasts, correct what the message names.',
    ],
  ])('%s', (_, cause, expected) => {
    expect(callFailed('DescribeCluster of web', cause)).toEqual(
      new Error(`DescribeCluster of web failed: ${expected}`, { cause }),
    );
  });

  test('a profile without credentials is named', () => {
    vi.stubEnv('AWS_PROFILE', 'work');
    const { cause } = problemOf(withoutCredentials('Could not load credentials from any providers'))!;
    expect(cause).toMatch(/^the AWS profile work has no credentials, or does not exist/);
  });
});

test.each([
  ['a bug', new TypeError('x is not a function')],
  ['an abort', Object.assign(new Error('aborted'), { name: 'AbortError', code: 'ABORT_ERR' })],
  ['a missing program', Object.assign(new Error('spawn npx ENOENT'), { code: 'ENOENT', syscall: 'spawn npx' })],
  [
    'an error that names its operation already',
    new Error('DescribeCluster failed', { cause: denied('Access denied') }),
  ],
  ['no error at all', 'oops'],
])('%s is returned as it is', (_, error) => {
  expect(callFailed('DescribeThings', error)).toBe(error);
});

import type { CallFailed } from '@outrigger/core/model/answers.ts';
import type { FailureClass } from '@outrigger/core/model/node-group.ts';

/** An error of an AWS call: its class, and AWS' code and message. */
export interface AwsFailure {
  readonly class: FailureClass;
  /** AWS' error code, else the name of the network error. */
  readonly code: string;
  readonly message: string;
}

/** Codes of credentials that are absent, malformed or expired; other codes of their class are of missing permissions. */
export const UNAUTHENTICATED: ReadonlySet<string> = new Set([
  'AuthFailure',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
  'UnrecognizedClientException',
]);

/**
 * AWS' error codes by class. Sources: the error lists of the EC2, Auto Scaling and EKS API references; the codes that
 * Karpenter treats as missing capacity (`pkg/errors`); for throttling the codes that the SDKs retry.
 */
const CODES: Readonly<Record<Exclude<FailureClass, 'Other'>, readonly string[]>> = {
  OutOfResources: [
    'InsufficientCapacity',
    'InsufficientCapacityOnHost',
    'InsufficientHostCapacity',
    'InsufficientInstanceCapacity',
    'InsufficientReservedInstanceCapacity',
    'InsufficientVolumeCapacity',
    // A limit by its name, but for spot only: as with missing spot capacity, the type may still be available on demand.
    'MaxSpotInstanceCountExceeded',
    'ReservationCapacityExceeded',
    'SpotMaxPriceTooLow',
    'UnfulfillableCapacity',
  ],
  Quota: [
    'AddressLimitExceeded',
    'HostLimitExceeded',
    'InstanceLimitExceeded',
    'LimitExceeded',
    'LimitExceededFault',
    'MaxFleetCountExceeded',
    'MaxIOPSLimitExceeded',
    'MaxSpotFleetRequestCountExceeded',
    'NetworkInterfaceLimitExceeded',
    'ResourceCountExceeded',
    'ResourceLimitExceeded',
    'ServiceQuotaExceededException',
    'VcpuLimitExceeded',
    'VolumeLimitExceeded',
  ],
  Addresses: ['InsufficientAddressCapacity', 'InsufficientCidrBlocks', 'InsufficientFreeAddressesInSubnet'],
  Authorization: [
    ...UNAUTHENTICATED,
    'AccessDenied',
    'AccessDeniedException',
    'Blocked',
    'NotAuthorized',
    'OptInRequired',
    'PendingVerification',
    'ServiceLinkedRoleFailure',
    'UnauthorizedOperation',
  ],
  // The last three are not throttling, but a caller handles them alike: the same call succeeds a little later.
  Throttled: [
    'BandwidthLimitExceeded',
    'EC2ThrottledException',
    'PriorRequestNotComplete',
    'RequestLimitExceeded',
    'RequestThrottled',
    'RequestThrottledException',
    'SlowDown',
    'Throttling',
    'ThrottlingException',
    'ThrottledException',
    'TooManyRequestsException',
    'ResourceContention',
    'ResourceContentionFault',
    'ScalingActivityInProgress',
    'ScalingActivityInProgressFault',
  ],
  Timeout: ['ETIMEDOUT', 'ESOCKETTIMEDOUT', 'RequestTimeout', 'RequestTimeoutException', 'TimeoutError'],
  Configuration: [
    'AuthorizationHeaderMalformed',
    'DefaultSubnetDoesNotExist',
    'MissingParameter',
    'ResourceNotFoundException',
    'Unsupported',
    'UnsupportedOperation',
    'VPCIdNotSpecified',
    'VPCResourceNotSpecified',
    'ValidationError',
    'ValidationException',
    'VolumeTypeNotAvailableInZone',
  ],
};

const CLASS_OF_CODE: ReadonlyMap<string, FailureClass> = new Map(
  Object.entries(CODES).flatMap(([name, codes]) => codes.map((code) => [code, name as FailureClass] as const)),
);

type PatternRow = readonly [RegExp, FailureClass];

/** For codes that `CODES` does not list. */
const CODE_PATTERNS: readonly PatternRow[] = [
  // EC2, Auto Scaling and EKS have different names for a KMS key that they cannot use.
  [/KMS/, 'Authorization'],
  // EC2 has some two hundred `Invalid….NotFound` and `Invalid….Malformed`: all of them are errors of configuration.
  [/^Invalid[A-Z]|\.(?:NotFound|Malformed)$|NotFound$/, 'Configuration'],
];

/**
 * Auto Scaling reports a failed launch as a sentence, and wraps EC2's error in a `ValidationError` where it validates a
 * request itself; then only the message distinguishes failures. The first match wins.
 */
const SENTENCES: readonly PatternRow[] = [
  [
    /do(?:es)? not have sufficient .*capacity|no Spot capacity available|not enough .*capacity|insufficient capacity|unable to fulfill capacity/i,
    'OutOfResources',
  ],
  [/max(?:imum)? spot instance count exceeded/i, 'OutOfResources'],
  [/Spot (?:request )?price .*is lower|max(?:imum)? (?:spot )?price.* (?:lower|too low)/i, 'OutOfResources'],
  [/(?:vCPU|instance) (?:capacity than|limit)|limit .* (?:exceeded|allows)|exceeded .* limit/i, 'Quota'],
  [/quota .* exceeded|exceed.* quota|quota allows for|reached your quota|maximum number of .* reached/i, 'Quota'],
  [/(?:not (?:have )?enough|insufficient) free addresses|insufficient .*cidr blocks/i, 'Addresses'],
  [/rate exceeded|request limit exceeded|too many requests/i, 'Throttled'],
  [/not authorized|unauthorized|access (?:is )?denied|is not valid for .*role|service-linked role/i, 'Authorization'],
  [/account is (?:currently )?(?:blocked|being verified|under)|not subscribed to this service/i, 'Authorization'],
  // EC2's message when the role may not use the key that encrypts the volume.
  [/Client\.InternalError|KMS ?key/i, 'Authorization'],
  [
    /does not (?:exist|match)|not found|(?:not|no longer) supported|invalid|must (?:be|have)|(?:above|below) m(?:ax|in) value/i,
    'Configuration',
  ],
  [
    /belong to different networks|smaller than snapshot|cannot be described|may only be used with|accept terms and subscribe/i,
    'Configuration',
  ],
];

/** Generic codes: the message is matched before them. */
const VAGUE_CODES = new Set(['ValidationError', 'ValidationException', 'InternalError', '']);

/** Classifies an error of the AWS API. Pure; unknown errors are `Other`. */
export function classifyFailure(code: string, message: string): FailureClass {
  const plain = code.replace(/^(?:Client|Server)\./, '');
  const known = CLASS_OF_CODE.get(plain);
  if (VAGUE_CODES.has(plain)) {
    return firstMatch(SENTENCES, message) ?? known ?? 'Other';
  }
  return known ?? firstMatch(CODE_PATTERNS, plain) ?? 'Other';
}

const firstMatch = (rows: readonly PatternRow[], text: string): FailureClass | undefined =>
  rows.find(([pattern]) => pattern.test(text))?.[1];

const CODE_IN_SENTENCE = /\b((?:Client|Server)\.[A-Z]\w+(?:\.[A-Z]\w+)*)|\b([A-Z][A-Za-z]+) - /;

/**
 * Reads the status message of a failed scaling activity (`DescribeScalingActivities`, or `StatusMessage` in an
 * "EC2 Instance Launch Unsuccessful" event).
 */
export function classifyLaunchFailure(statusMessage: string): AwsFailure {
  const match = CODE_IN_SENTENCE.exec(statusMessage);
  const code = (match?.[1] ?? match?.[2] ?? '').replace(/^(?:Client|Server)\./, '');
  const byCode = classifyFailure(code, statusMessage);
  return {
    class: byCode === 'Other' ? classifyFailure('', statusMessage) : byCode,
    code: code || 'LaunchFailed',
    message: statusMessage,
  };
}

/**
 * The failure that an error of an AWS call stands for; `null` for an error that is not of AWS or the network (a bug, an
 * abort).
 */
export function failureOf(error: unknown): AwsFailure | null {
  if (!(error instanceof Error) || error.name === 'AbortError') {
    return null;
  }
  const code = ownCode(error);
  if (code === null) {
    return null;
  }
  const message = error.message || code;
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  // A 429 in an undocumented form is still throttling.
  return { class: $metadata?.httpStatusCode === 429 ? 'Throttled' : classifyFailure(code, message), code, message };
}

/** The failure that an error of an AWS call stands for. @throws the error itself where `failureOf` knows no failure */
export function failureOrThrow(error: unknown): AwsFailure {
  const failure = failureOf(error);
  if (failure === null) {
    throw error;
  }
  return failure;
}

function ownCode(error: Error): string | null {
  const system = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if ('$metadata' in error || error.name === 'TimeoutError' || error.name === 'CredentialsProviderError') {
    return error.name === 'Error' ? (system ?? error.name) : error.name;
  }
  return system;
}

/** The outcome of a failed call of Auto Scaling, by its messages for a resource that does not exist. Throws as `failureOrThrow`. */
export function goneOrFailed(error: unknown, gone: RegExp): { readonly kind: 'gone' } | CallFailed {
  const failure = failureOrThrow(error);
  const isGone = failure.code === 'ValidationError' && gone.test(failure.message);
  return isGone ? { kind: 'gone' } : { kind: 'failed', ...failure };
}

/** `(CLASS, CODE): MESSAGE`, for a sentence about a failed call. */
export const failureText = ({ class: failureClass, code, message }: AwsFailure): string =>
  `(${failureClass}, ${code}): ${message}`;

/** Whether the same call may succeed soon. */
export const isTransient = (failure: AwsFailure): boolean =>
  failure.class === 'Throttled' || failure.class === 'Timeout' || failure.class === 'Other';

import { AutoScalingClient, type AutoScalingClientConfig } from '@aws-sdk/client-auto-scaling';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { PricingClient } from '@aws-sdk/client-pricing';

export interface AwsClients {
  readonly autoScaling: AutoScalingClient;
  readonly ec2: EC2Client;
  readonly eks: EKSClient;
  readonly pricing: PricingClient;
}

/** Key pair, or a function that gives one: whatever the SDK takes. Absent: the SDK's default chain. */
export type AwsCredentials = NonNullable<AutoScalingClientConfig['credentials']>;

export interface ClientSettings {
  readonly region: string;
  /** One endpoint for all services: a local stand-in, or a proxy. Absent: AWS' own. */
  readonly endpoint?: string;
  readonly credentials?: AwsCredentials;
  /** Calls that one request may cost, retries included. */
  readonly attempts?: number;
}

/**
 * Four attempts take a few seconds at most; whoever has waited that long is better served by the next wake-up than by a
 * fifth. Not the SDK's adaptive mode: it delays every later call of the client, so that a throttled look-up would hold
 * back the change of a size.
 */
const ATTEMPTS = 4;

/** Without `throwOnRequestTimeout` the SDK only warns, and a call that hangs takes the function's whole time. */
const TIMEOUTS = {
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/** The price list has few homes; the one in Virginia knows all regions. Decisions do not wait for it for long. */
const PRICING = {
  region: 'us-east-1',
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
} as const;

/** Makes the SDK clients. No I/O; keep them for the life of the process, they hold the connections. */
export function createAwsClients({ region, endpoint, credentials, attempts = ATTEMPTS }: ClientSettings): AwsClients {
  const settings = {
    region,
    retryMode: 'standard',
    maxAttempts: attempts,
    ...TIMEOUTS,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  };
  return {
    autoScaling: new AutoScalingClient(settings),
    ec2: new EC2Client(settings),
    eks: new EKSClient(settings),
    pricing: new PricingClient({ ...settings, ...PRICING }),
  };
}

/** The SDK's way to take an `AbortSignal`. */
export const abortable = (signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } =>
  signal === undefined ? {} : { abortSignal: signal };

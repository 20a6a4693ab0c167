import { present } from '@outrigger/core/model/values/present.ts';
import { AutoScalingClient, type AutoScalingClientConfig } from '@aws-sdk/client-auto-scaling';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { PricingClient } from '@aws-sdk/client-pricing';
import { createReadShifts, type ReadShifts } from './managed-resources.ts';
import { createSavingsPlansApi, type SavingsPlansApi } from './savings-plans-api.ts';

export interface AwsClients {
  readonly autoScaling: AutoScalingClient;
  readonly ec2: EC2Client;
  readonly eks: EKSClient;
  readonly pricing: PricingClient;
  readonly readShifts: ReadShifts;
  readonly savingsPlans: SavingsPlansApi;
}

/** A key pair or a function that returns one, as the SDK accepts them. Absent: the SDK's default chain. */
export type AwsCredentials = NonNullable<AutoScalingClientConfig['credentials']>;

export interface ClientSettings {
  readonly region: string;
  /** An endpoint for all services: a local emulator or a proxy. Absent: AWS' endpoints. */
  readonly endpoint?: string;
  readonly credentials?: AwsCredentials;
  /** Attempts per request, retries included. */
  readonly attempts?: number;
}

/**
 * Four attempts take a few seconds at most; after that the next wake-up is a better retry than a fifth attempt. Not the
 * SDK's adaptive mode: it delays every later call of the client, so a throttled lookup would delay a change of size.
 */
const ATTEMPTS = 4;

/** Without `throwOnRequestTimeout` the SDK only warns, and a call that hangs uses up the function's timeout. */
const TIMEOUTS = {
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/**
 * The Price List API has few endpoints; the one in us-east-1 has the prices of all regions. Its timeout is short, since
 * decisions wait for it.
 */
const PRICING = {
  region: 'us-east-1',
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
} as const;

/** The settings of a client of the SDK, with bounded attempts and times. */
export const sdkSettings = ({ region, endpoint, credentials, attempts = ATTEMPTS }: ClientSettings) => ({
  region,
  retryMode: 'standard',
  maxAttempts: attempts,
  ...TIMEOUTS,
  ...present({ endpoint, credentials }),
});

/** Creates the SDK clients. No I/O; keep them for the life of the process, since they hold the connections. */
export function createAwsClients(of: ClientSettings): AwsClients {
  const { region, endpoint } = of;
  const settings = sdkSettings(of);
  const ec2 = new EC2Client(settings);
  const eks = new EKSClient(settings);
  return {
    autoScaling: new AutoScalingClient(settings),
    ec2,
    eks,
    readShifts: createReadShifts(eks, region, endpoint),
    savingsPlans: createSavingsPlansApi(ec2, region, endpoint),
    pricing: new PricingClient({ ...settings, ...PRICING }),
  };
}

/** An `AbortSignal` as the SDK's request options take it. */
export const abortable = (signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } =>
  present({ abortSignal: signal });

import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { EC2Client } from '@aws-sdk/client-ec2';

/** moto asks for a signature, not for whose it is. */
export const testCredentials = { accessKeyId: 'test', secretAccessKey: 'test' } as const;

/** The region that everything is in. */
export const region = 'us-east-1';

export interface AwsClients {
  readonly autoScaling: AutoScalingClient;
  readonly ec2: EC2Client;
  destroy(): void;
}

/** Clients of the AWS at this address. */
export function awsClients(endpoint: string): AwsClients {
  const settings = { endpoint, region, credentials: testCredentials };
  const autoScaling = new AutoScalingClient(settings);
  const ec2 = new EC2Client(settings);
  return {
    autoScaling,
    ec2,
    destroy() {
      autoScaling.destroy();
      ec2.destroy();
    },
  };
}

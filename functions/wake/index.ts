import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { sdkSettings } from '@outrigger/providers/aws/api/clients.ts';
import { createStatePersistence } from '@outrigger/providers/dynamodb/state-persistence.ts';
import { openStack } from '../shared/aws-stack.ts';
import { clientSettings, terminationsOf } from '../shared/stack-settings.ts';
import { createWake } from './wake.ts';

const { environment, cluster, services, table, lambda } = openStack('wake');
const autoScaling = new AutoScalingClient(sdkSettings(clientSettings(environment, cluster)));
const terminations = terminationsOf(environment, cluster, autoScaling);

export const handler = lambda(
  createWake({ ...services, ...createStatePersistence(table), terminations }, cluster, environment.AWS_REGION),
);

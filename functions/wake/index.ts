import { createStatePersistence } from '@outrigger/providers/dynamodb/state-persistence.ts';
import { openStack } from '../shared/aws-stack.ts';
import { autoScalingClient, terminationsOf } from '../shared/stack-settings.ts';
import { createWake } from './wake.ts';

const { environment, cluster, services, table, lambda } = openStack('wake');
const terminations = terminationsOf(environment, cluster, autoScalingClient(environment, cluster));

export const handler = lambda(
  createWake({ ...services, ...createStatePersistence(table), terminations }, cluster, environment.AWS_REGION),
);

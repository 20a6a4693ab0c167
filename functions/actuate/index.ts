import { createDrainQueue } from '@outrigger/providers/aws/lambda/drain-queue.ts';
import { createDrainPersistence } from '@outrigger/providers/dynamodb/drain-persistence.ts';
import { readOptions } from '@outrigger/providers/scenario/read-options.ts';
import { openStack } from '../shared/aws-stack.ts';
import { changesOnAws } from '../shared/changes-on-aws.ts';
import { createActuate } from './actuate.ts';

const stack = openStack('actuate', 'drains');
const { environment, cluster: name, services, table, lambda } = stack;
const cluster = {
  name,
  options: readOptions(JSON.parse(environment.OUTRIGGER_OPTIONS), 'OUTRIGGER_OPTIONS'),
  groups: changesOnAws(stack),
};

export const handler = lambda(
  createActuate({
    ...services,
    ...createDrainPersistence(table),
    ...createDrainQueue(stack.environment.OUTRIGGER_DRAIN_QUEUE_URL),
    cluster: (wanted) => (wanted === name ? cluster : null),
  }),
);

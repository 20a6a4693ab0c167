import { createAwsWorld } from '../shared/aws-world.ts';
import { createDrainHandler } from './handler.ts';

const { world, publish } = createAwsWorld('drain');

export const handler = createDrainHandler(world, publish);

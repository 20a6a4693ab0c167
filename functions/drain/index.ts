import { createAwsWorld, SMALL_ANSWERS } from '../shared/aws-world.ts';
import { createDrainHandler } from './handler.ts';

const { world, publish } = createAwsWorld('drain', SMALL_ANSWERS);

export const handler = createDrainHandler(world, publish);

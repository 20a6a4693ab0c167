import { createAwsWorld, SMALL_ANSWERS } from '../shared/aws-world.ts';
import { createActuate } from './actuate.ts';

const { world, lambda } = createAwsWorld('actuate', SMALL_ANSWERS);

export const handler = lambda(createActuate(world));

import { createAwsWorld } from '../shared/aws-world.ts';
import { createActuate } from './actuate.ts';

const { world, lambda } = createAwsWorld('actuate');

export const handler = lambda(createActuate(world));

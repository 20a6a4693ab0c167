import { createAwsWorld } from '../shared/aws-world.ts';
import { scaleUpHandler } from './scale-up.ts';

const { world, lambda } = createAwsWorld('scale-up');

export const handler = lambda(scaleUpHandler(world));

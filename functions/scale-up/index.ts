import { createAwsWorld } from '../shared/aws-world.ts';
import { createScaleUp } from './scale-up.ts';

const { world, lambda } = createAwsWorld('scale-up');

export const handler = lambda(createScaleUp(world));

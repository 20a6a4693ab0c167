import { createAwsWorld } from '../shared/aws-world.ts';
import { scaleDownHandler } from './scale-down.ts';

const { world, lambda } = createAwsWorld('scale-down');

export const handler = lambda(scaleDownHandler(world));

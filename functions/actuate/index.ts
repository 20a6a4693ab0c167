import { createAwsWorld, SMALL_ANSWERS } from '../shared/aws-world.ts';
import { createActuate } from './actuate.ts';

const { world, lambda } = createAwsWorld('actuate', {
  maxBodyBytes: SMALL_ANSWERS,
  starts: 'drains',
});

export const handler = lambda(createActuate(world));

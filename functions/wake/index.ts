import { createAwsWorld, SMALL_ANSWERS } from '../shared/aws-world.ts';
import { createWake } from './wake.ts';

const { world, cluster, region, lambda } = createAwsWorld('wake', { maxBodyBytes: SMALL_ANSWERS });

export const handler = lambda(createWake(world, cluster, region));

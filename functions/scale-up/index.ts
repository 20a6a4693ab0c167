import { s3Snapshots } from '@outrigger/providers/aws/snapshots/s3-snapshots.ts';
import { createAwsWorld } from '../shared/aws-world.ts';
import { scaleUpHandler } from './scale-up.ts';

const { world, lambda } = createAwsWorld('scale-up', { snapshots: s3Snapshots });

export const handler = lambda(scaleUpHandler(world));

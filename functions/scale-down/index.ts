import { s3Snapshots } from '@outrigger/providers/aws/snapshots/s3-snapshots.ts';
import { createAwsWorld } from '../shared/aws-world.ts';
import { scaleDownHandler } from './scale-down.ts';

const { world, lambda } = createAwsWorld('scale-down', { snapshots: s3Snapshots });

export const handler = lambda(scaleDownHandler(world));

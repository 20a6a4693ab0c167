import { createAwsServices } from '../shared/aws-services.ts';
import { scaleDownHandler } from './scale-down.ts';

const { services, lambda } = createAwsServices('scale-down');

export const handler = lambda(scaleDownHandler(services));

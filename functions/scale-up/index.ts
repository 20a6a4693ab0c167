import { createAwsServices } from '../shared/aws-services.ts';
import { scaleUpHandler } from './scale-up.ts';

const { services, lambda } = createAwsServices('scale-up');

export const handler = lambda(scaleUpHandler(services));

import { EKSClient } from '@aws-sdk/client-eks';
import * as z from 'zod';
import { cloudFormationOrigins, customResource } from '@outrigger/providers/aws/lambda/custom-resource.ts';
import { readEnvironment } from '@outrigger/providers/aws/lambda/environment.ts';
import { observe } from '@outrigger/providers/aws/lambda/handler.ts';
import { connectionOfEksCluster } from '@outrigger/providers/aws/api/eks-connection.ts';
import { createTransport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { changeManifests } from './manifests.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

const environment = readEnvironment({
  AWS_REGION: z.string().min(1),
  OUTRIGGER_CLUSTER: z.string().min(1),
  OUTRIGGER_STACK: z.string().min(1),
  OUTRIGGER_MANIFESTS: z.string().regex(/^[0-9a-f]{64}$/),
  // Set if another tool than CloudFormation deploys the stack.
  OUTRIGGER_ANSWERS_TO: z.url().optional(),
});
const { log } = observe('manifests', environment.OUTRIGGER_CLUSTER);

const connect = async () =>
  createTransport(await connectionOfEksCluster(new EKSClient({}), environment.OUTRIGGER_CLUSTER));

/** Not wrapped as the other functions are: an event has the token, and no log may have it. */
export const handler = customResource(
  {
    log,
    stack: environment.OUTRIGGER_STACK,
    origins:
      mapOptional(environment.OUTRIGGER_ANSWERS_TO, (url) => [url]) ?? cloudFormationOrigins(environment.AWS_REGION),
  },
  changeManifests({ connect, cluster: environment.OUTRIGGER_CLUSTER, digest: environment.OUTRIGGER_MANIFESTS }),
);

import { EKSClient } from '@aws-sdk/client-eks';
import * as z from 'zod';
import { customResource } from '../../providers/aws/lambda/custom-resource.ts';
import { readEnvironment } from '../../providers/aws/lambda/environment.ts';
import { observe } from '../../providers/aws/lambda/handler.ts';
import { connectionOfEksCluster } from '../../providers/kubernetes/auth/eks.ts';
import { createTransport } from '../../providers/kubernetes/client/transport.ts';
import { changeManifests } from './manifests.ts';

const environment = readEnvironment({ OUTRIGGER_CLUSTER: z.string().min(1) });
const { log } = observe('manifests', environment.OUTRIGGER_CLUSTER);

const connect = async () =>
  createTransport(await connectionOfEksCluster(new EKSClient({}), environment.OUTRIGGER_CLUSTER));

/** Not wrapped as the other functions are: an event has the token, and no log may have it. */
export const handler = customResource({ log }, changeManifests(connect));

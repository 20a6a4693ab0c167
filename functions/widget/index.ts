import * as z from 'zod';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import { readEnvironment } from '@outrigger/providers/aws/lambda/environment.ts';
import { observe } from '@outrigger/providers/aws/lambda/handler.ts';
import { createPersistence } from '@outrigger/providers/dynamodb/persistence.ts';
import { readOptions } from '@outrigger/providers/scenario/read-options.ts';
import { systemClock } from '../shared/clock.ts';
import { createWidget } from './widget.ts';

const environment = readEnvironment({
  AWS_REGION: z.string().min(1),
  OUTRIGGER_CLUSTER: z.string().min(1),
  OUTRIGGER_TABLE: z.string().min(1),
  OUTRIGGER_OPTIONS: z.string(),
});
const { AWS_REGION: region, OUTRIGGER_TABLE: table, OUTRIGGER_CLUSTER: cluster } = environment;
const { log, metrics, handler: lambda } = observe('widget', cluster);

export const handler = lambda(
  createWidget({
    now: systemClock.now,
    cluster: clusterName(cluster),
    options: readOptions(JSON.parse(environment.OUTRIGGER_OPTIONS), 'OUTRIGGER_OPTIONS'),
    ...createPersistence({ region, table, log, metrics }),
  }),
);

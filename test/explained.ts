import { INSTANCE_TYPE_LABEL } from '../core/model/cluster/node.ts';
import type { ClusterRecord } from '../core/explanation/cluster-record.ts';
import { addTime, epochMs, minutes, seconds } from '../core/model/values/time.ts';
import { scaleDownHandler } from '../functions/scale-down/scale-down.ts';
import type { Services } from '../functions/shared/services.ts';
import { scaleUpHandler } from '../functions/scale-up/scale-up.ts';
import { loadClusterRecord } from '../providers/cluster-record.ts';
import { node, pod } from './builders.ts';
import {
  invocation,
  sqsEvent,
  type TestWorld,
  type TestWorldGiven,
  testWorld,
  scan,
  WEB,
} from './functions/test-world.ts';
import { group } from './scenario-builders.ts';

/**
 * A cluster in which there is one of everything: an unneeded node (`n1`), one that a pod keeps (`n2`), one in use (`n3`); pods
 * for which a group grows, that no group holds, and that wait for nothing; groups that cannot grow.
 */
export const eventfulWorld = (given: TestWorldGiven = {}): TestWorld =>
  testWorld({
    groups: [
      group('web', { nodes: ['n1', 'n2', 'n3'], min: 1, labels: { pool: 'web', [INSTANCE_TYPE_LABEL]: 'm5.xlarge' } }),
      group('web-b', { labels: { pool: 'b' }, max: 5 }),
      group('full', { labels: { pool: 'full' }, max: 0 }),
      group('wrong', { invalid: 'tag k8s.io/x: expected a number, found "many"' }),
    ],
    objects: {
      nodes: ['n1', 'n2', 'n3'].map((name) => node(name, { cpu: 4, memory: '16Gi' }, { labels: { pool: 'web' } })),
      pods: [
        pod('solo', { node: 'n2', requests: { cpu: '100m' } }),
        pod('busy', { node: 'n3', requests: { cpu: 3 }, owner: 'ReplicaSet/busy' }),
        pod('waits', { requests: { cpu: 1 }, spec: { nodeSelector: { pool: 'b' } }, owner: 'ReplicaSet/b' }),
        pod('huge', { requests: { cpu: 100 }, owner: 'ReplicaSet/huge' }),
        pod('huge-2', { requests: { cpu: 100 }, owner: 'ReplicaSet/huge' }),
      ],
    },
    ...given,
  });

/** Both parts of an evaluation, as a scan runs them. */
export async function evaluated(world: Services): Promise<void> {
  await scaleDownHandler(world)({ cluster: WEB }, invocation());
  await evaluatedScaleUp(world);
}

export async function evaluatedScaleUp(world: Services): Promise<void> {
  await scaleUpHandler(world)(sqsEvent(scan), invocation());
}

/** Loads the record of an evaluated world, a while later. */
export async function clusterRecordOf(world: TestWorld, later = seconds(90)): Promise<ClusterRecord> {
  const record = await loadClusterRecord(
    world,
    { cluster: WEB, options: { idleEvaluationInterval: minutes(5) }, now: addTime(epochMs(world.time), later) },
    AbortSignal.timeout(10_000),
  );
  if (record === null) {
    throw new Error('nothing is stored');
  }
  return record;
}

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupName } from '../../../core/model/values/names.ts';
import { seconds } from '../../../core/model/values/time.ts';
import { openStack } from '../../../functions/shared/aws-stack.ts';
import { changesOnAws, smallTransport } from '../../../functions/shared/changes-on-aws.ts';
import { clusterAccessOver } from '../../../providers/kubernetes/access.ts';
import { autoScalingResult, groupXml, startWireServer } from '../../providers/aws/wire-server.ts';
import { json } from '../../providers/kubernetes/api-server.ts';
import { systemClock } from '../../../functions/shared/clock.ts';
import { CREDENTIALS, eksCluster, ENVIRONMENT, ONE_RESOURCE, set } from './stack.ts';

beforeEach(() => set({ ...ENVIRONMENT, ...CREDENTIALS }));
afterEach(() => vi.unstubAllEnvs());

const SCALING_GROUP = groupName('workers');
const RESOURCE = groupName('MachineDeployment/default/web');

describe('changes to node groups on AWS', () => {
  it.each([
    { clusterApi: {}, has: [true, false] },
    { clusterApi: { OUTRIGGER_CLUSTER_API: '{}' }, has: [true, true] },
    { clusterApi: { OUTRIGGER_CLUSTER_API: '{"autoScalingGroups": false}' }, has: [false, true] },
  ])('are to the groups of the stack: $clusterApi', async ({ clusterApi, has }) => {
    const { seen } = await eksCluster(ONE_RESOURCE);
    const { calls, endpoint } = await startWireServer(({ action }) =>
      autoScalingResult(action, { AutoScalingGroups: [groupXml('web', 'workers')] }),
    );
    set({ AWS_ENDPOINT_URL_AUTO_SCALING: endpoint, ...clusterApi });
    const changes = changesOnAws(openStack('actuate'));
    await Promise.all([SCALING_GROUP, RESOURCE].map((name) => changes.readSize(name)));
    expect([calls.length > 0, seen.some(({ path }) => path === '/apis/cluster.x-k8s.io')]).toEqual(has);
  });

  it('read no larger answers than the memory of the function allows', async () => {
    await eksCluster((_, response) =>
      json(response, 200, {
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: {},
        items: [],
        padding: 'x'.repeat(17 << 20),
      }),
    );
    const { reader } = clusterAccessOver(smallTransport(openStack('drain')), {
      namespace: 'kube-system',
      status: null,
      now: systemClock.now,
      warn: () => {},
    });
    await expect(reader.hasPendingPods(AbortSignal.timeout(seconds(20)))).rejects.toThrow('16777216 bytes');
  });
});

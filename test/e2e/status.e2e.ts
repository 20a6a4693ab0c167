import type { CoreV1Event, V1ConfigMap } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { evaluateScaleUp } from '../../core/evaluate.ts';
import { autoscalerStatus } from '../../core/words/autoscaler-status.ts';
import { decisionEvents } from '../../core/words/decision-events.ts';
import { epochMs } from '../../core/model/values/time.ts';
import { clusterAccessOver } from '../../providers/kubernetes/access.ts';
import type { Transport } from '../../providers/kubernetes/client/transport.ts';
import { rbac } from '../../providers/kubernetes/manifests/rbac.ts';
import { pod } from '../builders.ts';
import { group, scenario } from '../scenario-builders.ts';
import { type DeploymentServer, startWithDeploymentRights } from './deployment-rights.ts';
import type { Kube } from './servers/kube.ts';

// An API server of its own; what is written there is written with the rights of a deployment, and no others.
const STATUS = { namespace: 'kube-system', name: 'cluster-autoscaler-status' };
let server: DeploymentServer;
let kube: Kube;
let asFunction: Transport;
const warnings: string[] = [];

beforeAll(async () => {
  server = await startWithDeploymentRights('status', rbac());
  ({ kube, asFunction } = server);
});

afterAll(async () => {
  await server?.stop();
});

test('with the rights of a deployment the status and events are written, where kubectl describe finds them', async () => {
  const { writer } = clusterAccessOver(asFunction, {
    namespace: 'kube-system',
    status: STATUS,
    now: () => epochMs(Date.now()),
    warn: (message) => warnings.push(message),
  });
  const pods = [
    { ...pod('web-1', { requests: { cpu: 3 }, owner: 'ReplicaSet/web' }), uid: 'uid-web-1' },
    { ...pod('big-1', { requests: { cpu: 500 }, owner: 'ReplicaSet/big' }), uid: 'uid-big-1' },
  ];
  const of = scenario({ groups: [group('a')], pods });
  const decision = evaluateScaleUp(of);
  for (const _ of ['first', 'again']) {
    await writer.writeStatus(autoscalerStatus(of, decision));
    await writer.recordEvents(decisionEvents(of, decision, 1));
  }
  expect(warnings).toEqual([]);

  const events = async (uid: string) =>
    (
      await kube.list<CoreV1Event>(`/api/v1/events?fieldSelector=${encodeURIComponent(`involvedObject.uid=${uid}`)}`)
    ).map(({ reason, message }) => `${reason} ${message}`);
  expect(await events('uid-web-1')).toEqual(['TriggeredScaleUp pod triggered scale-up: [{a 0->1 (max: 10)}]']);
  expect(await events('uid-big-1')).toEqual([
    expect.stringMatching(/^NotTriggerScaleUp pod didn't trigger scale-up: 1 Insufficient cpu\. .*Nearest: /),
  ]);
  const map = await kube.get<V1ConfigMap>('/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status');
  expect(await events(map.metadata!.uid!)).toEqual([
    'ScaledUpGroup Scale-up: setting group a size to 1 instead of 0 (max: 10)',
  ]);
  expect(parse(map.data!['status']!)).toMatchObject({
    autoscalerStatus: 'Running',
    clusterWide: {
      health: { status: 'Healthy' },
      scaleUp: { status: 'InProgress' },
      scaleDown: { status: 'NoCandidates' },
    },
    nodeGroups: [{ name: 'a', health: { minSize: 0, maxSize: 10, cloudProviderTarget: 0 } }],
  });
});

import { expect, test } from 'vitest';
import { openCluster } from './cluster.ts';
import { awsClients } from './servers/aws-clients.ts';
import { setSize } from './servers/aws-setup.ts';

test('a pod waits with a FailedScheduling event, and runs once its group has grown', async () => {
  const cluster = await openCluster('servers');
  const [group] = await cluster.createGroups({
    name: 'm5',
    zones: ['us-east-1b'],
    max: 3,
    tags: {
      'k8s.io/cluster-autoscaler/node-template/label/pool': 'general',
      'k8s.io/cluster-autoscaler/node-template/taint/spot': 'true:PreferNoSchedule',
    },
  });
  cluster.bridge(300);
  await cluster.createDeployment('web', 1, { cpuMilli: 1500, memoryMib: 1024 });

  const { involvedObject } = await cluster.untilEvent('FailedScheduling');
  expect(involvedObject.name).toMatch(/^web-/);

  await setSize(cluster.aws, group!, 1);
  const [pod] = await cluster.untilRunning(1);
  const [node] = await cluster.untilNodes(1);
  expect(pod?.spec?.nodeName).toBe(node?.metadata?.name);
  expect(node?.spec?.providerID).toMatch(/^aws:\/\/\/us-east-1b\/i-[0-9a-f]+$/);
  expect(node?.metadata?.labels).toMatchObject({
    pool: 'general',
    'topology.kubernetes.io/zone': 'us-east-1b',
    'node.kubernetes.io/instance-type': 'm5.large',
  });
  expect(node?.spec?.taints).toEqual([{ key: 'spot', value: 'true', effect: 'PreferNoSchedule' }]);
  expect(node?.status?.allocatable).toMatchObject({ cpu: '1930m', pods: '29' });

  await setSize(cluster.aws, group!, 0);
  await cluster.untilNodes(0);
});

test('what is asked of AWS is recorded', async () => {
  const cluster = await openCluster('recorder');
  const [group] = await cluster.createGroups({ name: 'm5', max: 3 });
  const recorded = awsClients(cluster.recorder.endpoint);
  await setSize(recorded, group!, 2);
  recorded.destroy();
  expect(cluster.recorder.sizeChanges()).toMatchObject([{ group, size: 2 }]);
});

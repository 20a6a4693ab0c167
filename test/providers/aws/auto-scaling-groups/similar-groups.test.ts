import { describe, expect, test } from 'vitest';
import { clusterName, groupName } from '../../../../core/model/values/names.ts';
import type { Node } from '../../../../core/model/cluster/node.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { similarityFor } from '../../../../core/nodegroups/similar.ts';
import { groupTemplates } from '../../../../core/nodegroups/node-templates.ts';
import { createAutoScalingGroups } from '../../../../providers/aws/auto-scaling-groups.ts';
import { scenario } from '../../../scenario-builders.ts';
import { eksNode } from '../builders.ts';
import {
  type Xml,
  autoScalingResult,
  ec2Result,
  groupXml,
  instanceTypeXml,
  jsonResult,
  launchTemplateId,
  startWireServer,
} from '../wire-server.ts';

const CLUSTER = 'c1';

/** User data that EKS writes for the nodes of its managed groups. */
const userDataOf = (group: string, maxPods: number | null): string => `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      ${maxPods === null ? 'serializeImagePulls: false' : `maxPods: ${maxPods}`}
    flags:
    - "--node-labels=${Object.entries(nodeGroupLabels(group))
      .map(([key, value]) => `${key}=${value}`)
      .join(',')}"
`;

const nodeGroupLabels = (group: string) => ({
  'eks.amazonaws.com/nodegroup-image': 'ami-0123',
  'eks.amazonaws.com/capacityType': 'ON_DEMAND',
  'eks.amazonaws.com/nodegroup': group,
});

const managedGroup = (name: string, zone: string, instances: readonly Xml[] = []): Xml =>
  groupXml(CLUSTER, name, {
    AvailabilityZones: [zone],
    DesiredCapacity: instances.length,
    Instances: instances,
    Tags: [
      { Key: 'k8s.io/cluster-autoscaler/enabled', Value: 'true' },
      { Key: `k8s.io/cluster-autoscaler/${CLUSTER}`, Value: 'owned' },
      { Key: 'eks:cluster-name', Value: CLUSTER },
      { Key: 'eks:nodegroup-name', Value: name },
    ],
  });

interface Given {
  /** Limits of the live node's group, and of the empty one. */
  readonly maxPods: readonly [number | null, number | null];
  readonly live: Node;
}

/** The group `busy` has a node in zone b, the group `empty` has none in zone a: do they balance? */
async function areSimilar({ maxPods: [ofBusy, ofEmpty], live }: Given): Promise<boolean> {
  const maxPods: Readonly<Record<string, number | null>> = { busy: ofBusy, empty: ofEmpty };
  const server = await startWireServer(({ action, parameters }) => {
    switch (action) {
      case 'DescribeAutoScalingGroups':
        return autoScalingResult(action, {
          AutoScalingGroups: [
            managedGroup('empty', 'us-east-1a'),
            managedGroup('busy', 'us-east-1b', [{ InstanceId: 'i-1', LifecycleState: 'InService' }]),
          ],
        });
      case 'DescribeLaunchTemplateVersions': {
        const [name, limit] = Object.entries(maxPods).find(
          ([group]) => launchTemplateId(group) === parameters.get('LaunchTemplateId'),
        )!;
        const launchTemplateData = {
          instanceType: 'm5.large',
          imageId: 'ami-0123',
          userData: Buffer.from(userDataOf(name, limit)).toString('base64'),
        };
        return ec2Result(action, {
          launchTemplateVersionSet: [
            { launchTemplateId: launchTemplateId(name), versionNumber: 1, defaultVersion: true, launchTemplateData },
          ],
        });
      }
      case 'DescribeInstanceTypes':
        return ec2Result(action, { instanceTypeSet: [instanceTypeXml('m5.large')] });
      default:
        return jsonResult({ nodegroup: { nodegroupName: action.split('/').at(-1), capacityType: 'ON_DEMAND' } });
    }
  });
  const groups = await createAutoScalingGroups({
    cluster: clusterName(CLUSTER),
    region: 'us-east-1',
    clients: server.clients,
    prices: false,
    warn: () => undefined,
    now: () => epochMs(0),
  }).list([live]);
  const templates = groupTemplates(scenario({ groups, nodes: [live] }));
  return similarityFor(defaultOptions(), 'aws').isSimilar(
    templates.get(groupName('busy'))!,
    templates.get(groupName('empty'))!,
  );
}

/** An m5.large that shows 2.4 % more memory than the formula gives: similar groups may differ by 1.5 %. */
const m5Large = (pods: number) =>
  eksNode(
    'ip-10-0-0-1',
    { cpu: 2, memory: '7948100Ki', pods, 'ephemeral-storage': '20893676Ki', 'hugepages-1Gi': 0, 'hugepages-2Mi': 0 },
    {
      zone: 'us-east-1b',
      labels: nodeGroupLabels('busy'),
      allocatable: {
        cpu: '1930m',
        memory: '7257924Ki',
        pods,
        'ephemeral-storage': '18181869946',
        'hugepages-1Gi': 0,
        'hugepages-2Mi': 0,
      },
      extra: { providerId: 'aws:///us-east-1b/i-1' },
    },
  );

describe('a group without nodes and one with nodes of the same type', () => {
  test.each<readonly [string, boolean, Given]>([
    ['the same limit of pods is set', true, { maxPods: [29, 29], live: m5Large(29) }],
    ['no limit is set', true, { maxPods: [null, null], live: m5Large(29) }],
    ['no limit is set, and the image has another one', true, { maxPods: [null, null], live: m5Large(110) }],
    ['another limit is set', false, { maxPods: [29, 110], live: m5Large(29) }],
    ['a limit is set for the nodes that are there', false, { maxPods: [110, null], live: m5Large(110) }],
  ])('are similar where %s: %s', async (_, expected, given) => {
    expect(await areSimilar(given)).toBe(expected);
  });
});

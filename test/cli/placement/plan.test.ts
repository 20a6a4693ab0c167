import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { describe, expect, test } from 'vitest';
import { toScalingGroup } from '../../../providers/aws/groups/scaling-group.ts';
import { planOf } from '../../../cli/placement/plan.ts';
import type { GroupLaunch, NamedTemplate } from '../../../cli/placement/read.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const USER_DATA = encoded('apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n');

const template = (given: Partial<NamedTemplate> = {}): NamedTemplate => ({
  id: 'lt-1',
  name: 'web',
  named: '$Latest',
  version: 7,
  isLatest: true,
  userData: USER_DATA,
  ...given,
});
const launch = (given: Partial<GroupLaunch> = {}, group: Partial<AutoScalingGroup> = {}): GroupLaunch => ({
  group: toScalingGroup({ ...group, AutoScalingGroupName: 'web-a' } as AutoScalingGroup),
  managed: null,
  templates: [template()],
  unreadable: null,
  ...given,
});
const managed = (nodegroup: NonNullable<GroupLaunch['managed']>['nodegroup']): Partial<GroupLaunch> => ({
  managed: { name: { cluster: 'c1', name: 'workers' }, nodegroup: { status: 'ACTIVE', ...nodegroup } },
  templates: [],
});

describe('the plan for a node group', () => {
  test.each<readonly [string, GroupLaunch, boolean | null, RegExp]>([
    ['that cannot be read', launch({ unreadable: 'denied', templates: [] }), null, /^it cannot be read: denied$/],
    ['without a launch template', launch({ templates: [] }), false, /^it has no launch template$/],
    [
      'with a launch configuration',
      launch({ templates: [] }, { LaunchConfigurationName: 'old' }),
      false,
      /^it launches from the launch configuration old, which AWS does not change/,
    ],
    [
      'that launches from a version that is not the latest',
      launch({ templates: [template({ isLatest: false })] }),
      false,
      /^it launches from version 7 of web, which is not the latest/,
    ],
    [
      'of which one launch template cannot be edited',
      launch({ templates: [template(), template({ name: 'other', userData: null })] }),
      false,
      /^launch template other: its user data has no NodeConfig/,
    ],
    ['that is managed, with an AMI of its own', launch(managed({ amiType: 'CUSTOM' })), false, /AMI of its own/],
    ['that EKS is updating', launch(managed({ status: 'UPDATING' })), false, /^EKS says that it is UPDATING/],
    [
      'that is managed, with taints in its user data',
      launch({
        ...managed({}),
        templates: [template({ userData: encoded('kubelet --register-with-taints=team=web:NoSchedule') })],
      }),
      false,
      /gives the taint team, which EKS' own would replace/,
    ],
  ])('%s says why nothing is changed', (_, of, tainted, problem) => {
    expect(planOf(of, 'add')).toEqual({
      group: 'web-a',
      tainted,
      changes: [],
      problem: expect.stringMatching(problem) as string,
    });
  });

  test('that is managed is changed by EKS, once', () => {
    const group = launch(managed({}));
    expect(planOf(group, 'add').changes).toEqual([{ kind: 'NodeGroup', of: { cluster: 'c1', name: 'workers' } }]);
    const tainted = launch(managed({ taints: [{ key: 'outrigger.dev/awaiting-pods', effect: 'NO_SCHEDULE' }] }));
    expect(planOf(tainted, 'add')).toMatchObject({ tainted: true, changes: [], problem: null });
    expect(planOf(tainted, 'remove').changes).toHaveLength(1);
    expect(planOf(group, 'remove')).toMatchObject({ tainted: false, changes: [], problem: null });
  });

  test('of which some launch templates give the taint changes the others, and removes all', () => {
    const added = planOf(launch(), 'add').changes[0];
    const userData = added?.kind === 'LaunchTemplate' ? added.userData : '';
    const half = launch({ templates: [template({ id: 'lt-2', userData }), template()] });
    expect(planOf(half, 'add')).toMatchObject({ tainted: false, changes: [{ template: { id: 'lt-1' } }] });
    expect(planOf(half, 'remove')).toMatchObject({ tainted: false, changes: [{ template: { id: 'lt-2' } }] });
  });
});

import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { describe, expect, test } from 'vitest';
import { toScalingGroup } from '../../../../providers/aws/groups/scaling-group.ts';

const parsed = (extra: Partial<AutoScalingGroup> = {}) =>
  toScalingGroup({
    AutoScalingGroupName: 'web',
    MinSize: 0,
    MaxSize: 10,
    DesiredCapacity: 2,
    DefaultCooldown: 300,
    AvailabilityZones: ['us-east-1b', 'us-east-1a'],
    HealthCheckType: 'EC2',
    CreatedTime: new Date(0),
    ...extra,
  });

const template = { LaunchTemplateId: 'lt-1', LaunchTemplateName: 'web' };

test('a group that cannot be read has its own tags and sizes, and the reason', () => {
  const unreadable = {
    get MixedInstancesPolicy(): never {
      throw new RangeError('no such thing');
    },
    Tags: [
      { Key: 'k8s.io/cluster-autoscaler/enabled', Value: 'true' },
      { Key: 'k8s.io/cluster-autoscaler/node-template/label/pool', Value: 'general' },
    ],
  };
  const group = Object.assign(unreadable, { AutoScalingGroupName: 'web', MinSize: 0, MaxSize: 10, DesiredCapacity: 2 });
  expect(toScalingGroup(group as unknown as AutoScalingGroup)).toMatchObject({
    name: 'web',
    min: 0,
    max: 10,
    desired: 2,
    problem: 'it cannot be read: no such thing',
  });
});

describe('launches', () => {
  test.each<readonly [string, Partial<AutoScalingGroup>, readonly unknown[]]>([
    ['launch template', { LaunchTemplate: { ...template, Version: '7' } }, [['lt-1:7', null]]],
    [
      'launch template by name, default version',
      { LaunchTemplate: { LaunchTemplateName: 'web' } },
      [['web:$Default', null]],
    ],
    [
      'mixed instances without overrides',
      {
        MixedInstancesPolicy: { LaunchTemplate: { LaunchTemplateSpecification: { ...template, Version: '$Latest' } } },
      },
      [['lt-1:$Latest', null]],
    ],
    [
      'mixed instances, one with a launch template of its own',
      {
        MixedInstancesPolicy: {
          LaunchTemplate: {
            LaunchTemplateSpecification: { ...template, Version: '1' },
            Overrides: [
              { InstanceType: 'm6g.large', LaunchTemplateSpecification: { LaunchTemplateId: 'lt-2', Version: '3' } },
              { InstanceType: 'm5.large' },
            ],
          },
        },
      },
      [
        ['lt-2:3', 'm6g.large'],
        ['lt-1:1', 'm5.large'],
      ],
    ],
    ['nothing', {}, []],
  ])('%s', (_, extra, expected) => {
    expect(
      parsed(extra).launches.map((launch) => launch.kind === 'template' && [launch.template, launch.instanceType]),
    ).toEqual(expected);
  });

  test('launch configuration', () => {
    expect(parsed({ LaunchConfigurationName: 'old' }).launches).toEqual([{ kind: 'configuration', name: 'old' }]);
  });
});

test.each<readonly [AutoScalingGroup['MixedInstancesPolicy'], string]>([
  [undefined, 'on-demand'],
  [{ LaunchTemplate: {} }, 'on-demand'],
  [{ InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 0, OnDemandBaseCapacity: 0 } }, 'spot'],
  [{ InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 0, OnDemandBaseCapacity: 1 } }, 'mixed'],
  [{ InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 50 } }, 'mixed'],
  [{ InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 100 } }, 'on-demand'],
])('%j buys %s', (policy, market) => {
  expect(parsed({ MixedInstancesPolicy: policy }).market).toBe(market);
});

const overrides = (weights: readonly (string | undefined)[]): Partial<AutoScalingGroup> => ({
  MixedInstancesPolicy: {
    LaunchTemplate: { Overrides: weights.map((WeightedCapacity) => ({ InstanceType: 'm5.xlarge', WeightedCapacity })) },
  },
});

describe('problems', () => {
  test.each<readonly [string, Partial<AutoScalingGroup>]>([
    ['a plain group', {}],
    ['all weights are 1', overrides(['1', undefined])],
    ['counts units', { DesiredCapacityType: 'units' }],
  ])('none: %s', (_, extra) => {
    expect(parsed(extra).problem).toBeNull();
  });

  test.each<readonly [string, Partial<AutoScalingGroup>, string]>([
    ['a weight', overrides(['1', '2']), 'm5.xlarge weighs 2'],
    ['counts vCPUs', { DesiredCapacityType: 'vcpu' }, 'counts vcpu, not instances'],
    ['being deleted', { Status: 'Delete in progress' }, 'being deleted'],
    ['no sizes', { MaxSize: undefined }, 'did not report its sizes'],
  ])('%s', (_, extra, expected) => {
    expect(parsed(extra).problem).toContain(expected);
  });
});

describe('warm pool', () => {
  test.each<readonly [string, Partial<AutoScalingGroup>, unknown]>([
    ['none', {}, null],
    [
      'with the defaults',
      { WarmPoolConfiguration: { MinSize: 0 }, WarmPoolSize: 0 },
      { size: 0, state: 'Stopped', reuse: false },
    ],
    [
      'running, with reuse',
      {
        WarmPoolConfiguration: {
          MinSize: 2,
          MaxGroupPreparedCapacity: 8,
          PoolState: 'Running',
          InstanceReusePolicy: { ReuseOnScaleIn: true },
        },
        WarmPoolSize: 3,
      },
      { size: 3, state: 'Running', reuse: true },
    ],
    [
      'in a state that is not known',
      { WarmPoolConfiguration: { PoolState: 'Frozen' as 'Stopped' }, WarmPoolSize: 1 },
      { size: 1, state: 'Stopped', reuse: false },
    ],
    ['that is being deleted', { WarmPoolConfiguration: { Status: 'PendingDelete' }, WarmPoolSize: 1 }, null],
  ])('%s', (_, extra, expected) => {
    expect(parsed(extra).warmPool).toEqual(expected);
  });
});

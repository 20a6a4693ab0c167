import { expect, test } from 'vitest';
import { groupName } from '../../../core/model/values/names.ts';
import { isClusterApiName } from '../../../providers/node-groups/changes-of-cluster.ts';
import { groupsOfCluster } from '../../../providers/node-groups/of-cluster.ts';
import { testWorld, WEB } from '../../functions/test-world.ts';
import { group } from '../../scenario-builders.ts';

const groupsOf = (name: string) => testWorld({ groups: [group(name)] }).cluster(WEB)!.groups;

test.each([
  ['MachineDeployment/default/web', true],
  ['MachineSet/default/web', true],
  ['MachinePool/kube-system/web.blue', true],
  ['MachineDeployment/web', false],
  ['MachineDeployment/a/b/c', false],
  ['Deployment/default/web', false],
  ['web', false],
])('%s: a name of Cluster API is %s', (name, expected) => {
  expect(isClusterApiName(groupName(name))).toBe(expected);
});

test('the groups of one provider are those of the cluster, as they are', () => {
  const groups = groupsOf('a');
  expect(groupsOfCluster(groups, null)).toEqual({ provider: 'aws', groups });
  expect(groupsOfCluster(null, groups)).toEqual({ provider: 'clusterapi', groups });
});

test('the groups of two providers are combined', async () => {
  const { provider, groups } = groupsOfCluster(groupsOf('asg'), groupsOf('MachineSet/default/a'));
  expect(provider).toBe('aws');
  const names = (await groups.list([])).map((one) => [one.name, one.provider]);
  expect(names).toEqual([
    ['MachineSet/default/a', 'clusterapi'],
    ['asg', undefined],
  ]);
});

test('a cluster has the groups of one provider at least', () => {
  expect(() => groupsOfCluster(null, null)).toThrow('neither are');
});

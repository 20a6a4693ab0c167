import { nodeBudgetText, unreadableNodeBudget } from '../../../../core/model/node-budget.ts';
import { A_BUDGET } from '../../../../providers/schema/node-budgets.ts';
import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../../../core/model/values/time.ts';
import { describeRejected, parseTags } from '../../../../providers/aws/groups/tags.ts';

const NODE_TEMPLATE = 'k8s.io/cluster-autoscaler/node-template';

describe('well-formed tags', () => {
  test.each([
    ['label/pool', 'general', { labels: { pool: 'general' } }],
    ['label/example.com/tier', '', { labels: { 'example.com/tier': '' } }],
    ['taint/dedicated', 'web:NoSchedule', { taints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }] }],
    ['taint/example.com/gpu', ':NoExecute', { taints: [{ key: 'example.com/gpu', value: '', effect: 'NoExecute' }] }],
    ['taint/a', 'b:PreferNoSchedule', { taints: [{ key: 'a', value: 'b', effect: 'PreferNoSchedule' }] }],
    ['resources/cpu', '1500m', { resources: { cpu: 1_500 } }],
    ['resources/cpu', '2', { resources: { cpu: 2_000 } }],
    ['resources/memory', '1.5Gi', { resources: { memory: 1.5 * 2 ** 30 } }],
    ['resources/pods', '58', { resources: { pods: 58 } }],
    ['resources/nvidia.com/gpu', '4', { resources: { 'nvidia.com/gpu': 4 } }],
    ['resources/ephemeral-storage', '100G', { resources: { 'ephemeral-storage': 1e11 } }],
    ['autoscaling-options/scaledownutilizationthreshold', '0.7', { options: { scaleDownUtilizationThreshold: 0.7 } }],
    ['autoscaling-options/scaledowngpuutilizationthreshold', '0', { options: { scaleDownGpuUtilizationThreshold: 0 } }],
    ['autoscaling-options/scaledownunneededtime', '1m30s', { options: { scaleDownUnneededTime: seconds(90) } }],
    ['autoscaling-options/scaledownunneededtime', 'auto', { options: { scaleDownUnneededTime: 'auto' } }],
    ['autoscaling-options/scaledownunneededtime', '0s', { options: { scaleDownUnneededTime: seconds(0) } }],
    ['autoscaling-options/scaledownunneededtime', '-0s', { options: { scaleDownUnneededTime: seconds(0) } }],
    ['autoscaling-options/scaledownunreadytime', '20m0s', { options: { scaleDownUnreadyTime: minutes(20) } }],
    ['autoscaling-options/ignoredaemonsetsutilization', 'true', { options: { ignoreDaemonSetsUtilization: true } }],
    ['autoscaling-options/scaledownenabled', 'false', { options: { scaleDownEnabled: false } }],
    ['autoscaling-options/ignoredaemonsetsutilization', 'F', { options: { ignoreDaemonSetsUtilization: false } }],
    ['autoscaling-options/maxnodeprovisiontime', '30m', { options: { maxNodeProvisionTime: minutes(30) } }],
    ['autoscaling-options/maxnodestartuptime', '45m', { options: { maxNodeStartupTime: minutes(45) } }],
    ['autoscaling-options/scaledownutilizationthreshold', '1.5', { options: { scaleDownUtilizationThreshold: 1.5 } }],
    ['autoscaling-options/something-new', 'whatever', {}],
    ['something-new/x', 'y', {}],
    ['constructor/x', 'y', {}],
  ])('%s = %j', (tag, value, expected) => {
    const empty = { labels: {}, taints: [], resources: {}, options: {}, managedNodeGroup: null };
    expect(parseTags({ [`${NODE_TEMPLATE}/${tag}`]: value })).toEqual({
      tags: { ...empty, ...expected },
      malformed: [],
    });
  });

  test('an EKS managed node group is named by two tags, and by neither alone', () => {
    const both = { 'eks:cluster-name': 'c1', 'eks:nodegroup-name': 'workers' };
    expect(parseTags(both)).toMatchObject({ tags: { managedNodeGroup: { cluster: 'c1', name: 'workers' } } });
    expect(parseTags({ 'eks:cluster-name': 'c1' })).toMatchObject({ tags: { managedNodeGroup: null } });
  });
});

describe('malformed tags', () => {
  test.each([
    ['label', 'general'],
    ['label/', 'general'],
    ['taint/dedicated', 'web'],
    ['taint/dedicated', 'web:'],
    ['taint/dedicated', 'web:noschedule'],
    ['taint/dedicated', 'web:NoSchedule:NoExecute'],
    ['taint/', 'web:NoSchedule'],
    ['resources/memory', '8GB'],
    ['resources/cpu', ''],
    ['resources/cpu', '-1'],
    ['resources/', '1'],
    ['autoscaling-options/scaledownutilizationthreshold', '70%'],
    ['autoscaling-options/scaledownutilizationthreshold', '-0.1'],
    ['autoscaling-options/scaledownutilizationthreshold', 'Infinity'],
    ['autoscaling-options/maxnodeprovisiontime', 'whatever'],
    ['autoscaling-options/scaledownutilizationthreshold', 'NaN'],
    ['autoscaling-options/scaledownunneededtime', '10'],
    ['autoscaling-options/scaledownunneededtime', '-10m'],
    ['autoscaling-options/ignoredaemonsetsutilization', 'yes'],
  ])('%s = %j counts as absent, and is told with its place and value', (tag, value) => {
    const parsed = parseTags({ [`${NODE_TEMPLATE}/${tag}`]: value, [`${NODE_TEMPLATE}/label/pool`]: 'general' });
    expect(parsed).toEqual({
      tags: { labels: { pool: 'general' }, taints: [], resources: {}, options: {}, managedNodeGroup: null },
      malformed: [{ place: `tag ${NODE_TEMPLATE}/${tag}`, expected: expect.stringMatching(/./), found: value }],
    });
  });

  test('disruption budgets are read in their short form', () => {
    const { tags, malformed } = parseTags({
      [`${NODE_TEMPLATE}/autoscaling-options/disruptionbudgets`]: '10%; 0 from 0 22 * * 1-5 for 8h in Europe/Berlin',
    });
    expect(tags.options.disruptionBudgets?.map(nodeBudgetText)).toEqual([
      '10%',
      '0 from 0 22 * * 1-5 for 8h in Europe/Berlin',
    ]);
    expect(malformed).toEqual([]);
  });

  test('disruption budgets that cannot be read allow nothing, and that is told', () => {
    const { tags, malformed } = parseTags({
      [`${NODE_TEMPLATE}/autoscaling-options/disruptionbudgets`]: '0 from @daily for 8h in Berlin',
    });
    expect(tags.options.disruptionBudgets).toEqual([
      unreadableNodeBudget(`expected ${malformed[0]!.expected}, found "0 from @daily for 8h in Berlin"`),
    ]);
    expect(describeRejected(malformed)).toBe(
      `tag ${NODE_TEMPLATE}/autoscaling-options/disruptionbudgets: expected ${A_BUDGET} (timeZone: expected a time zone of the IANA database such as Europe/Berlin, found "Berlin"), found "0 from @daily for 8h in Berlin"; ` +
        'disruption budgets that cannot be read allow no removal; a tag that is malformed counts as absent; correct it',
    );
  });

  test.each(['5 USD', '-1', '1e400', ''])('a limit of cost that cannot be read allows no new node: %j', (text) => {
    const { tags, malformed } = parseTags({ [`${NODE_TEMPLATE}/autoscaling-options/maxcostperhour`]: text });
    expect(tags.options.maxCostPerHour).toBe(0.000_001);
    expect(describeRejected(malformed)).toContain('a limit of cost that cannot be read allows no new node');
  });

  test('all of them are told at once, with what to do', () => {
    const parsed = parseTags({ [`${NODE_TEMPLATE}/taint/b`]: 'x', [`${NODE_TEMPLATE}/resources/a`]: '1 GB' });
    expect(describeRejected(parsed.malformed)).toBe(
      `tag ${NODE_TEMPLATE}/resources/a: expected a quantity such as 500m, 2 or 1.5Gi, and the resource at the end of the tag key, found "1 GB"; ` +
        `tag ${NODE_TEMPLATE}/taint/b: expected VALUE:EFFECT, the effect NoSchedule, NoExecute or PreferNoSchedule, and the taint key at the end of the tag key, found "x"; ` +
        'a tag that is malformed counts as absent; correct it',
    );
  });
});

test.each(['UTC+01', 'x+05', 'Europe/Berlin+01'])(
  'a budget in the time zone %s is malformed, and allows nothing',
  (zone) => {
    const tag = 'k8s.io/cluster-autoscaler/node-template/autoscaling-options/disruptionbudgets';
    const { tags, malformed } = parseTags({ [tag]: `0 from 0 8 * * * for 10h in ${zone}` });
    expect(malformed).toHaveLength(1);
    expect(malformed[0]).toMatchObject({ place: `tag ${tag}` });
    expect(tags.options.disruptionBudgets).toMatchObject([{ unreadable: expect.stringContaining('time zone') }]);
  },
);

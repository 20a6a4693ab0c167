import { describe, expect, test } from 'vitest';
import { conventionOf, type Discovery } from '../../../../core/model/discovery.ts';
import { clusterName, groupName } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { createAutoScalingGroups } from '../../../../providers/aws/auto-scaling-groups.ts';
import { listGroups } from '../../../../providers/aws/groups/discovery.ts';
import { hasTags } from '../../../../providers/aws/groups/membership.ts';
import { autoScalingResult, groupXml, startWireServer, type Xml } from '../wire-server.ts';

const ENABLED = 'k8s.io/cluster-autoscaler/enabled';
const by = (discovery: Partial<Discovery>): Discovery => ({ tags: [], nodes: [], ...discovery });

describe('by Cluster Autoscaler’s convention a group has', () => {
  test.each([
    ['both tags', { [ENABLED]: 'true', 'k8s.io/cluster-autoscaler/c1': 'owned' }, true],
    ['both keys, whatever their values', { [ENABLED]: 'false', 'k8s.io/cluster-autoscaler/c1': '' }, true],
    ['enabled for another cluster', { [ENABLED]: 'true', 'k8s.io/cluster-autoscaler/c2': 'owned' }, false],
    ['not enabled', { 'k8s.io/cluster-autoscaler/c1': 'owned' }, false],
    ['no tags', {}, false],
  ])('%s', (_, tags, expected) => {
    expect(hasTags(tags, conventionOf('c1').tags)).toBe(expected);
  });
});

test.each([
  ['another value', { team: 'db' }, false],
  ['the value', { team: 'web' }, true],
  ['the key in another case', { Team: 'web' }, false],
  ['a name that every object has', { constructor: 'web' }, false],
])('a tag with a value is had by a group with %s: %j → %s', (_, tags: Record<string, string>, expected) => {
  expect(hasTags(tags, [{ key: 'team', value: 'web' }])).toBe(expected);
});

const tagged = (name: string, tags: Readonly<Record<string, string>>, extra: { readonly [field: string]: Xml } = {}) =>
  groupXml('other', name, { Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })), ...extra });

/** AWS with these groups; it gives those asked for by name, and all of them for tags. */
async function aws(...groups: readonly Xml[]) {
  const server = await startWireServer(({ action, parameters }) => {
    const names = [...parameters].flatMap(([name, value]) => (name.startsWith('AutoScalingGroupNames') ? [value] : []));
    const found = groups.filter(
      (group) =>
        names.length === 0 || names.includes((group as { readonly AutoScalingGroupName: string }).AutoScalingGroupName),
    );
    return autoScalingResult(action, { AutoScalingGroups: found });
  });
  const sizes = async (discovery: Discovery) =>
    (await listGroups(server.clients.autoScaling, discovery)).map(
      ({ name, min, max, problem }) => `${name} ${min}-${max}${problem === null ? '' : ': problem'}`,
    );
  return { ...server, sizes };
}

describe('of all groups, node groups are', () => {
  const groups = [
    tagged('a', { team: 'web', tier: '1' }),
    tagged('b', { team: 'web' }),
    tagged('c', {}, { MinSize: 1, MaxSize: 5 }),
  ];

  test('those with all tags', async () => {
    const { sizes, calls } = await aws(...groups);
    const tags = [
      { key: 'team', value: 'web' },
      { key: 'tier', value: null },
    ];
    expect(await sizes(by({ tags }))).toEqual(['a 0-10']);
    expect(Object.fromEntries(calls[0]!.parameters)).toMatchObject({
      'Filters.member.1.Name': 'tag:team',
      'Filters.member.1.Values.member.1': 'web',
      'Filters.member.2.Name': 'tag-key',
      'Filters.member.2.Values.member.1': 'tier',
    });
  });

  test('those that are named, whatever their tags, within both bounds', async () => {
    const { sizes } = await aws(...groups);
    const nodes = [
      { name: 'c', min: 0, max: 3 },
      { name: 'b', min: 2, max: 99 },
    ];
    expect(await sizes(by({ nodes }))).toEqual(['b 2-10', 'c 1-3']);
  });

  test('those with the tags and those that are named; bounds come from the name', async () => {
    const { sizes } = await aws(...groups);
    const tags = [{ key: 'team', value: 'web' }];
    expect(await sizes(by({ tags, nodes: [{ name: 'a', min: 0, max: 2 }] }))).toEqual(['a 0-2', 'b 0-10']);
  });

  test('not those that no tag and no name is given for', async () => {
    const { sizes, calls } = await aws(...groups);
    expect(await sizes(by({}))).toEqual([]);
    expect(calls).toEqual([]);
  });

  test('unusable where both bounds have no size in common', async () => {
    const { sizes } = await aws(...groups);
    expect(await sizes(by({ nodes: [{ name: 'c', min: 6, max: 9 }] }))).toEqual(['c 1-5: problem']);
  });

  test('asked for by the hundred names', async () => {
    const { sizes, calls } = await aws(...groups);
    await sizes(by({ nodes: Array.from({ length: 150 }, (_, n) => ({ name: `g${n}`, min: 0, max: 1 })) }));
    expect(calls.map(({ parameters }) => parameters.get('AutoScalingGroupNames.member.100'))).toEqual(['g99', null]);
  });
});

describe('a group that is named', () => {
  const nodes = [
    { name: 'c', min: 0, max: 3 },
    { name: 'gone', min: 0, max: 3 },
  ];
  const groupsWith = async () => {
    const said: string[] = [];
    const { clients, calls } = await aws(tagged('c', {}), tagged('d', {}));
    const groups = createAutoScalingGroups({
      cluster: clusterName('c1'),
      discovery: by({ nodes }),
      region: 'us-east-1',
      clients,
      prices: false,
      warn: (message) => said.push(message),
      now: () => epochMs(0),
    });
    return { groups, said, calls };
  };

  test('gets no size beyond its bounds in the configuration', async () => {
    const { groups, calls } = await groupsWith();
    expect(await groups.readSize(groupName('c'))).toMatchObject({ min: 0, max: 3 });
    expect(await groups.setSize(groupName('c'), 4)).toMatchObject({ kind: 'failed', code: 'AboveMaxSize' });
    expect(await groups.setSize(groupName('d'), 1)).toMatchObject({ kind: 'failed', code: 'GroupGone' });
    expect(await groups.setSize(groupName('c'), 3)).toEqual({ kind: 'set' });
    expect(calls.filter(({ action }) => action === 'SetDesiredCapacity')).toHaveLength(1);
  });

  test('and does not exist is warned of, and keeps no other from growing', async () => {
    const { groups, said } = await groupsWith();
    expect((await groups.list([])).map(({ name }) => name)).toEqual(['c']);
    expect(said).toContain('There is no Auto Scaling group gone, which discovery.nodes names');
  });
});

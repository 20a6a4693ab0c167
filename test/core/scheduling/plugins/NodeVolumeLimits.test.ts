import { describe, expect, it } from 'vitest';
import { nodeName } from '../../../../core/model/values/names.ts';
import type { Pod, Volume } from '../../../../core/model/cluster/pod.ts';
import type { ClusterObjects } from '../../../../core/model/scenario.ts';
import { boundClaim, claim, claimVolumes, csiNode, node, pod, storageClass, volume } from '../../../builders.ts';
import { fit, reason, rooms } from '../fit.ts';

const NO = 'node(s) exceed max volume count';
const using = (name: string, ...claims: readonly string[]): Pod =>
  pod(name, { spec: { volumes: claimVolumes(...claims) } });
const at = (there: Pod): Pod => ({ ...there, nodeName: nodeName('n'), phase: 'Running' });
const ebs = (id: string): Volume => ({
  kind: 'disk',
  name: 'disk',
  type: 'awsElasticBlockStore',
  id,
  monitors: [],
  readOnly: false,
});

const cluster = (extra: Partial<ClusterObjects>): Partial<ClusterObjects> => ({
  nodes: [node('n')],
  persistentVolumes: ['a', 'b', 'c'].map((name) => volume(name)),
  persistentVolumeClaims: [
    ...['a', 'b', 'c'].map((name) => boundClaim(name, name)),
    claim('waiting'),
    claim('old', { storageClass: 'in-tree' }),
    claim('files', { storageClass: 'azure' }),
    claim('classless', {
      storageClass: 'nowhere',
      volumeName: 'gone',
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    }),
  ],
  storageClasses: [
    storageClass('wait'),
    storageClass('in-tree', { provisioner: 'kubernetes.io/aws-ebs' }),
    storageClass('azure', { provisioner: 'kubernetes.io/azure-file' }),
  ],
  csiNodes: [csiNode('n', 2)],
  ...extra,
});

describe('with room for two volumes', () => {
  it.each<[string, Pod, readonly Pod[], string]>([
    ['a third', using('p', 'c'), [using('x', 'a'), using('y', 'b')], NO],
    ['a second', using('p', 'c'), [using('x', 'a')], 'ok'],
    ['one that is there already', using('p', 'a'), [using('x', 'a', 'b')], 'ok'],
    ['one there and one more', using('p', 'a', 'c'), [using('x', 'a', 'b')], NO],
    ['two pods sharing one count once', using('p', 'c'), [using('x', 'a'), using('y', 'a')], 'ok'],
    ['three at once', using('p', 'a', 'b', 'c'), [], NO],
    ['a claim that waits counts', using('p', 'waiting'), [using('x', 'a', 'b')], NO],
    ['also where it is there', using('p', 'c'), [using('x', 'a', 'waiting')], NO],
    ['also of the class that EBS once had', using('p', 'old'), [using('x', 'a', 'b')], NO],
    ['a class whose volumes are not counted', using('p', 'files'), [using('x', 'a', 'b')], 'ok'],
    ['a disk named in the pod', pod('p', { spec: { volumes: [ebs('vol-z')] } }), [using('x', 'a', 'b')], NO],
    [
      'that is there under its claim',
      pod('p', { spec: { volumes: [ebs('aws://a/vol-a')] } }),
      [using('x', 'a', 'b')],
      'ok',
    ],
    ['no volume at all', pod('p'), [using('x', 'a', 'b')], 'ok'],
    ['terminating pods count', using('p', 'c'), [{ ...using('x', 'a', 'b'), deletedAt: 1 as never }], NO],
  ])('%s', (_, pending, pods, expected) => {
    expect(reason(pending, cluster({ pods: pods.map(at) }))).toBe(expected);
  });

  it('claims of pods there that do not exist are not counted', () => {
    expect(reason(using('p', 'c'), cluster({ pods: [at(using('x', 'nowhere', 'a'))] }))).toBe('ok');
  });

  it('volumes that are still attached count, but for such as were in-tree', () => {
    const attachment = (persistentVolume: string) => ({
      name: `attachment-${persistentVolume}`,
      attacher: 'ebs.csi.aws.com',
      nodeName: nodeName('n'),
      persistentVolume,
      attached: true,
    });
    const volumeAttachments = [attachment('a'), attachment('b'), attachment('nowhere')];
    expect(reason(using('p', 'c'), cluster({ volumeAttachments }))).toBe(NO);
    expect(reason(using('p', 'c'), cluster({ volumeAttachments: [attachment('a')] }))).toBe('ok');
    const inTree = ['a', 'b', 'c'].map((name) =>
      volume(name, { csi: { driver: 'ebs.csi.aws.com', handle: `vol-${name}`, inTree: true } }),
    );
    expect(reason(using('p', 'c'), cluster({ volumeAttachments, persistentVolumes: inTree }))).toBe('ok');
  });
});

it.each<[string, Partial<ClusterObjects>]>([
  ['without a CSINode', { csiNodes: [] }],
  ['where the driver names no number', { csiNodes: [csiNode('n', null)] }],
  ['of another driver', { csiNodes: [csiNode('n', 0, { drivers: [{ name: 'other', nodeId: 'n', count: 0 }] })] }],
  ['for volumes of no driver', { persistentVolumes: [volume('a', { csi: null })] }],
])('no limit %s', (_, extra) => {
  expect(reason(using('p', 'a'), cluster({ csiNodes: [csiNode('n', 0)], ...extra }))).toBe('ok');
});

it('a node that takes none', () => {
  expect(reason(using('p', 'a'), cluster({ csiNodes: [csiNode('n', 0)] }))).toBe(NO);
});

it('generic ephemeral claims count, when they were made for the pod', () => {
  const scratch = (name: string): Pod =>
    pod(name, { spec: { volumes: [{ kind: 'ephemeralClaim', name: 'scratch' }] } });
  const owned = (name: string, owner: string) => claim(`${name}-scratch`, { ownerPodUid: `uid-default-${owner}` });
  const given = (other: string) =>
    cluster({
      csiNodes: [csiNode('n', 1)],
      persistentVolumeClaims: [owned('p', 'p'), owned('x', other)],
      pods: [at(scratch('x'))],
    });
  expect(reason(scratch('p'), given('x'))).toBe(NO);
  expect(reason(scratch('p'), given('stranger'))).toBe('ok');
});

it('pods of one kind share their volumes', () => {
  expect(rooms(using('p', 'a'), cluster({ csiNodes: [csiNode('n', 1)] }))).toEqual({ room: 50, placed: 50 });
});

describe('a driver that prevents scheduling where it is missing', () => {
  const csiDrivers = [{ name: 'ebs.csi.aws.com', preventPodSchedulingIfMissing: true }];
  const other = csiNode('n', 1, { drivers: [{ name: 'other', nodeId: 'n', count: 1 }] });
  const MISSING = 'ebs.csi.aws.com CSI driver is not installed on the node';
  const disk = pod('p', { spec: { volumes: [ebs('vol-z')] } });

  it.each<[string, Pod, Partial<ClusterObjects>, string]>([
    ['is installed', using('p', 'a'), { csiDrivers }, 'ok'],
    ['is not on the CSINode', using('p', 'a'), { csiDrivers, csiNodes: [other] }, MISSING],
    ['is not needed', pod('p'), { csiDrivers, csiNodes: [other] }, 'ok'],
    ['has no CSINode', using('p', 'a'), { csiDrivers, csiNodes: [] }, MISSING],
    ['is missing for a claim that waits', using('p', 'waiting'), { csiDrivers, csiNodes: [other] }, MISSING],
    ['has taken over from EBS', disk, { csiDrivers, csiNodes: [other] }, MISSING],
    // kube-scheduler asks the CSINode whether a driver has taken over.
    ['has taken over nowhere without a CSINode', disk, { csiDrivers, csiNodes: [] }, 'ok'],
    ['does not say so', using('p', 'a'), { csiNodes: [other] }, 'ok'],
    [
      'says that it does not matter',
      using('p', 'a'),
      { csiDrivers: [{ name: 'ebs.csi.aws.com', preventPodSchedulingIfMissing: false }], csiNodes: [other] },
      'ok',
    ],
  ])('%s', (_, pending, extra, expected) => {
    expect(reason(pending, cluster(extra))).toBe(expected);
  });

  it('is expected on a new node as on similar nodes, or where there is none', () => {
    const labels = { 'node.kubernetes.io/instance-type': 'm5.large' };
    const planned = node('new', {}, { uid: 'new', labels });
    const verdictOn = (csiNodes: ClusterObjects['csiNodes']) =>
      fit(using('p', 'a'), cluster({ nodes: [planned, node('n', {}, { labels })], csiDrivers, csiNodes }))['new'];
    expect(verdictOn([csiNode('n', 2)])).toBe('ok');
    expect(verdictOn([other])).toBe('NodeVolumeLimits');
    expect(verdictOn([])).toBe('ok');
  });
});

import { describe, expect, it } from 'vitest';
import type { Pod, Volume } from '../../../../core/model/cluster/pod.ts';
import { boundClaim, claimVolumes, node, pod, volume } from '../../../builders.ts';
import { fit, reason, rooms, verdicts } from '../fit.ts';

type Disk = Extract<Volume, { kind: 'disk' }>;
const disk = (type: Disk['type'], id: string, readOnly = false, monitors: readonly string[] = []): Disk => ({
  kind: 'disk',
  name: 'disk',
  type,
  id,
  monitors,
  readOnly,
});
const withVolumes = (name: string, volumes: readonly Volume[], home?: string): Pod =>
  pod(name, { ...(home === undefined ? {} : { node: home }), spec: { volumes } });
const NO_DISK = 'node(s) had no available disk';

describe('a disk goes once onto a node', () => {
  it.each<[string, Disk, Disk, string]>([
    ['EBS', disk('awsElasticBlockStore', 'v'), disk('awsElasticBlockStore', 'v'), NO_DISK],
    [
      'EBS, though all only read',
      disk('awsElasticBlockStore', 'v', true),
      disk('awsElasticBlockStore', 'v', true),
      NO_DISK,
    ],
    ['another EBS', disk('awsElasticBlockStore', 'v'), disk('awsElasticBlockStore', 'w'), 'ok'],
    ['GCE', disk('gcePersistentDisk', 'd'), disk('gcePersistentDisk', 'd'), NO_DISK],
    ['GCE, one writes', disk('gcePersistentDisk', 'd', true), disk('gcePersistentDisk', 'd'), NO_DISK],
    ['GCE, all only read', disk('gcePersistentDisk', 'd', true), disk('gcePersistentDisk', 'd', true), 'ok'],
    ['the same name of another kind', disk('gcePersistentDisk', 'd'), disk('iscsi', 'd'), 'ok'],
    ['iSCSI', disk('iscsi', 'iqn'), disk('iscsi', 'iqn', true), NO_DISK],
    ['iSCSI, all only read', disk('iscsi', 'iqn', true), disk('iscsi', 'iqn', true), 'ok'],
    [
      'RBD by a shared monitor',
      disk('rbd', 'pool/i', false, ['a', 'b']),
      disk('rbd', 'pool/i', false, ['b', 'c']),
      NO_DISK,
    ],
    ['RBD by other monitors', disk('rbd', 'pool/i', false, ['a']), disk('rbd', 'pool/i', false, ['b']), 'ok'],
    ['RBD, another image', disk('rbd', 'pool/i', false, ['a']), disk('rbd', 'pool/j', false, ['a']), 'ok'],
    ['RBD, all only read', disk('rbd', 'pool/i', true, ['a']), disk('rbd', 'pool/i', true, ['a']), 'ok'],
  ])('%s', (_, there, wanted, expected) => {
    const pods = [withVolumes('there', [there], 'n')];
    expect(reason(withVolumes('p', [wanted]), { nodes: [node('n')], pods })).toBe(expected);
  });

  it('and onto others as well', () => {
    const nodes = [node('n'), node('m')];
    const ebs = disk('awsElasticBlockStore', 'v');
    expect(fit(withVolumes('p', [ebs]), { nodes, pods: [withVolumes('there', [ebs], 'n')] })).toEqual({
      n: 'VolumeRestrictions',
      m: 'ok',
    });
  });

  it.each([
    [disk('gcePersistentDisk', 'd'), 1],
    [disk('gcePersistentDisk', 'd', true), 50],
  ])('room for pods of one kind with %j', (wanted, expected) => {
    expect(rooms(withVolumes('p', [wanted]), { nodes: [node('n')] })).toEqual({ room: expected, placed: expected });
  });
});

describe('a ReadWriteOncePod claim', () => {
  const claims = [boundClaim('c', 'v', { accessModes: ['ReadWriteOncePod'] }), boundClaim('shared', 'v')];
  const cluster = { nodes: [node('n'), node('m')], persistentVolumes: [volume('v')], persistentVolumeClaims: claims };
  const using = (name: string, home?: string): Pod => withVolumes('there', claimVolumes(name), home);

  it('is free while no pod uses it', () => {
    expect(fit(using('c'), cluster)).toEqual({ n: 'ok', m: 'ok' });
  });

  it('in use anywhere rejects every node', () => {
    expect(verdicts(using('c'), { ...cluster, pods: [using('c', 'n')] })['m']).toEqual({
      plugin: 'VolumeRestrictions',
      reasons: [
        'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
      ],
    });
  });

  it.each<[string, Pod]>([
    ['a pod of another namespace with a claim of that name', { ...using('c', 'n'), namespace: 'other' }],
    ['a finished pod', { ...using('c', 'n'), phase: 'Succeeded' }],
    ['a pod on a node that is gone', using('c', 'gone')],
    ['a pod that only waits', using('c')],
  ])('is not in use by %s', (_, there) => {
    expect(fit({ ...using('c'), name: 'p' }, { ...cluster, pods: [there] })).toEqual({ n: 'ok', m: 'ok' });
  });

  it('other claims may be shared', () => {
    expect(fit(using('shared'), { ...cluster, pods: [using('shared', 'n')] })).toEqual({ n: 'ok', m: 'ok' });
  });

  it('leaves room for one pod', () => {
    expect(rooms(using('c'), cluster)).toEqual({ room: 1, placed: 1 });
    expect(rooms(using('shared'), cluster)).toEqual({ room: 50, placed: 50 });
  });
});

it('reports a claim that does not exist on every node, cordoned ones too', () => {
  const nodes = [node('n'), node('m', {}, { unschedulable: true })];
  const missing = { plugin: 'VolumeRestrictions', reasons: ['persistentvolumeclaim "missing" not found'] };
  expect(verdicts(withVolumes('p', claimVolumes('missing')), { nodes })).toEqual({ n: missing, m: missing });
});

import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { ClusterObjects } from '../../../../core/model/scenario.ts';
import type { NodeSelectorTerm } from '../../../../core/model/cluster/selectors.ts';
import {
  boundClaim,
  claim,
  claimVolumes,
  csiNode,
  node,
  pod,
  selector,
  storageClass,
  volume,
} from '../../../builders.ts';
import { reason, verdicts } from '../fit.ts';

const ZONE = 'topology.kubernetes.io/zone';
const EBS_ZONE = 'topology.ebs.csi.aws.com/zone';
const using = (...claims: readonly string[]): Pod => pod('p', { spec: { volumes: claimVolumes(...claims) } });
const within = (key: string, ...values: readonly string[]): readonly NodeSelectorTerm[] => [
  { matchExpressions: [{ key, operator: 'In', values }], matchFields: [] },
];
const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
const IMMEDIATE = 'pod has unbound immediate PersistentVolumeClaims';
const STATIC = storageClass('static', { provisioner: 'kubernetes.io/no-provisioner' });

/** A node n in zone a, classes that wait, do not wait, and have nothing but what is there. */
const cluster = (extra: Partial<ClusterObjects>): Partial<ClusterObjects> => ({
  nodes: [node('n', {}, { labels: { [ZONE]: 'a' } })],
  storageClasses: [storageClass('wait'), storageClass('immediate', { bindingMode: 'Immediate' }), STATIC],
  ...extra,
});

describe('a bound claim', () => {
  const bound = (extra: Parameters<typeof volume>[1]) =>
    cluster({ persistentVolumeClaims: [boundClaim('c', 'v')], persistentVolumes: [volume('v', extra)] });
  it.each<[string, readonly NodeSelectorTerm[] | null, string]>([
    ['anywhere', null, 'ok'],
    ['in the zone of the node', within(ZONE, 'a', 'b'), 'ok'],
    ['in another zone', within(ZONE, 'b'), NODE_CONFLICT],
    ['by a label that the node lacks', within('rack', 'r'), NODE_CONFLICT],
    [
      'by the name of the node, which is not checked',
      [{ matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['m'] }] }],
      'ok',
    ],
    ['by no term', [], NODE_CONFLICT],
  ])('of a volume reachable %s', (_, nodeAffinity, expected) => {
    expect(reason(using('c'), bound({ nodeAffinity }))).toBe(expected);
  });

  it('that is ephemeral, of a volume that is gone, is said node by node', () => {
    const pending = pod('p', { spec: { volumes: [{ kind: 'ephemeralClaim', name: 'scratch' }] } });
    const persistentVolumeClaims = [boundClaim('p-scratch', 'gone', { ownerPodUid: pending.uid })];
    const said = reason(pending, cluster({ persistentVolumeClaims }));
    expect(said).toBe('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');
  });

  describe('of an in-tree EBS volume, where the driver has taken over', () => {
    const annotations = {
      'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/gce-pd,kubernetes.io/aws-ebs',
    };
    const inTree = { driver: 'ebs.csi.aws.com', handle: 'vol-v', inTree: true };
    it.each<[string, Record<string, string>, Parameters<typeof volume>[1], string]>([
      ['goes by the label of the driver', { [ZONE]: 'a', [EBS_ZONE]: 'b' }, { nodeAffinity: within(ZONE, 'b') }, 'ok'],
      ['which must be there', { [ZONE]: 'b' }, { nodeAffinity: within(ZONE, 'b') }, NODE_CONFLICT],
      [
        'takes the zones from the label of the volume',
        { [EBS_ZONE]: 'c' },
        { labels: { [ZONE]: 'a__b' } },
        NODE_CONFLICT,
      ],
      [
        'adds them to other terms',
        { [EBS_ZONE]: 'b', disk: 'ssd' },
        { labels: { [ZONE]: 'a__b' }, nodeAffinity: within('disk', 'ssd') },
        'ok',
      ],
      [
        'speaks the old labels',
        { [EBS_ZONE]: 'b' },
        { nodeAffinity: within('failure-domain.beta.kubernetes.io/zone', 'b') },
        'ok',
      ],
      ['is reachable everywhere without a zone', {}, {}, 'ok'],
    ])('%s', (_, labels, extra, expected) => {
      const given = {
        ...bound({ csi: inTree, ...extra }),
        nodes: [node('n', {}, { labels })],
        csiNodes: [csiNode('n', null, { annotations })],
      };
      expect(reason(using('c'), given)).toBe(expected);
    });

    it('elsewhere it goes by its own', () => {
      expect(reason(using('c'), bound({ csi: inTree, nodeAffinity: within(ZONE, 'a') }))).toBe('ok');
    });
  });
});

describe('before any node is filtered', () => {
  it.each<[string, Parameters<typeof claim>[1], string]>([
    ['a claim that should be bound already', { storageClass: 'immediate' }, IMMEDIATE],
    ['a claim of no class', { storageClass: '' }, IMMEDIATE],
    ['a claim without one', { storageClass: null }, IMMEDIATE],
    ['a claim of a class that does not exist', { storageClass: 'nowhere' }, IMMEDIATE],
    ['a claim that names its volume and is not bound yet', { volumeName: 'v' }, IMMEDIATE],
    [
      'the old annotation names the class',
      { storageClass: 'wait', annotations: { 'volume.beta.kubernetes.io/storage-class': 'immediate' } },
      IMMEDIATE,
    ],
    [
      'a lost claim',
      { phase: 'Lost', volumeName: 'v' },
      'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
    ],
    ['a claim that is being deleted', { deleted: true }, 'persistentvolumeclaim "c" is being deleted'],
  ])('%s', (_, extra, expected) => {
    const given = cluster({
      nodes: [node('n', {}, { unschedulable: true })],
      persistentVolumeClaims: [claim('c', extra)],
      persistentVolumes: [volume('v')],
    });
    expect(verdicts(using('c'), given)).toEqual({ n: { plugin: 'VolumeBinding', reasons: [expected] } });
  });

  it.each([
    [[], 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"'],
    [[claim('p-scratch')], 'PVC default/p-scratch was not created for pod default/p (pod is not owner)'],
    [[claim('p-scratch', { ownerPodUid: 'uid-default-p' })], 'ok'],
  ])('a generic ephemeral claim: %j', (persistentVolumeClaims, expected) => {
    const pending = pod('p', { spec: { volumes: [{ kind: 'ephemeralClaim', name: 'scratch' }] } });
    expect(reason(pending, cluster({ persistentVolumeClaims }))).toBe(expected);
  });
});

describe('a claim that waits', () => {
  it.each<[string, Parameters<typeof storageClass>[1], string]>([
    ['gets a new volume', {}, 'ok'],
    ['not of a class without a provisioner', { provisioner: 'kubernetes.io/no-provisioner' }, BIND_CONFLICT],
    ['in allowed topologies', { allowedTopologies: [[{ key: ZONE, operator: 'In', values: ['a'] }]] }, 'ok'],
    ['not outside them', { allowedTopologies: [[{ key: ZONE, operator: 'In', values: ['b'] }]] }, BIND_CONFLICT],
    [
      'in any of several',
      {
        allowedTopologies: [
          [{ key: ZONE, operator: 'In', values: ['b'] }],
          [{ key: ZONE, operator: 'In', values: ['a'] }],
        ],
      },
      'ok',
    ],
    [
      'in all keys of one',
      {
        allowedTopologies: [
          [
            { key: ZONE, operator: 'In', values: ['a'] },
            { key: 'rack', operator: 'In', values: ['r'] },
          ],
        ],
      },
      BIND_CONFLICT,
    ],
    ['not in an empty one', { allowedTopologies: [[]] }, BIND_CONFLICT],
  ])('%s', (_, extra, expected) => {
    const given = cluster({ persistentVolumeClaims: [claim('c')], storageClasses: [storageClass('wait', extra)] });
    expect(reason(using('c'), given)).toBe(expected);
  });

  it.each([
    ['n', 'ok'],
    ['m', BIND_CONFLICT],
  ])('is held to the node %s that was selected for it: %s', (selected, expected) => {
    const annotations = { 'volume.kubernetes.io/selected-node': selected };
    expect(reason(using('c'), cluster({ persistentVolumeClaims: [claim('c', { annotations })] }))).toBe(expected);
  });
});

describe('a claim that waits for a volume that is there', () => {
  const small = 2 ** 29;
  it.each<[string, Parameters<typeof volume>[1], Parameters<typeof claim>[1], boolean]>([
    ['takes it', {}, {}, true],
    ['not a smaller one', { capacityBytes: small }, {}, false],
    ['a larger one', { capacityBytes: 2 ** 40 }, {}, true],
    ['not of another class', { storageClass: 'wait' }, {}, false],
    ['not of another mode', { volumeMode: 'Block' }, {}, false],
    ['not with fewer access modes', {}, { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }, false],
    ['not released or failed', { phase: 'Released' }, {}, false],
    ['not one that is being deleted', { deleted: true }, {}, false],
    ['not out of reach', { nodeAffinity: within(ZONE, 'b') }, {}, false],
    ['within reach', { nodeAffinity: within(ZONE, 'a') }, {}, true],
    ['that the selector matches', { labels: { q: 'gold' } }, { selector: selector({ q: 'gold' }) }, true],
    ['not one that it does not', { labels: { q: 'tin' } }, { selector: selector({ q: 'gold' }) }, false],
    ['not reserved for another', { claimRef: { namespace: 'default', name: 'd', uid: '' } }, {}, false],
    ['reserved for it', { claimRef: { namespace: 'default', name: 'c', uid: '' } }, {}, true],
    [
      'reserved for it, whatever its phase',
      { claimRef: { namespace: 'default', name: 'c', uid: 'uid-claim-c' }, phase: 'Pending' },
      {},
      true,
    ],
    [
      'reserved for one of that name that is gone',
      { claimRef: { namespace: 'default', name: 'c', uid: 'older' } },
      {},
      false,
    ],
    [
      'reserved for it, but out of reach',
      { claimRef: { namespace: 'default', name: 'c', uid: '' }, nodeAffinity: within(ZONE, 'b') },
      {},
      false,
    ],
  ])('%s', (_, volumeExtra, claimExtra, fits) => {
    const given = cluster({
      persistentVolumeClaims: [claim('c', { storageClass: 'static', ...claimExtra })],
      persistentVolumes: [volume('v', { storageClass: 'static', ...volumeExtra })],
    });
    expect(reason(using('c'), given)).toBe(fits ? 'ok' : BIND_CONFLICT);
  });

  it('leaves the larger volume to the larger claim', () => {
    const given = (second: number) =>
      cluster({
        persistentVolumeClaims: [
          claim('large', { storageClass: 'static', requestBytes: 2 ** 33 }),
          claim('little', { storageClass: 'static' }),
        ],
        persistentVolumes: [
          volume('v', { storageClass: 'static', capacityBytes: 2 ** 33 }),
          volume('w', { storageClass: 'static', capacityBytes: second }),
        ],
      });
    expect(reason(using('large', 'little'), given(2 ** 30))).toBe('ok');
    expect(reason(using('large', 'little'), given(small))).toBe(BIND_CONFLICT);
  });
});

it('says all that is wrong with a node', () => {
  const given = cluster({
    persistentVolumeClaims: [boundClaim('c', 'v'), claim('d', { storageClass: 'static' })],
    persistentVolumes: [volume('v', { nodeAffinity: within(ZONE, 'b') })],
  });
  expect(verdicts(using('c', 'd'), given)['n']?.reasons).toEqual([NODE_CONFLICT, BIND_CONFLICT]);
});

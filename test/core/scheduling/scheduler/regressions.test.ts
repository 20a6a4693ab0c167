import { describe, expect, it } from 'vitest';
import { nodeName } from '../../../../core/model/values/names.ts';
import {
  affinityTerm,
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
import { fit, reason } from '../fit.ts';

/** Each of these was once answered otherwise than by kube-scheduler 1.35.4 (`npm run conformance`). */

describe('a namespace selector that asks only for labels to be absent', () => {
  const term = affinityTerm(
    'kubernetes.io/hostname',
    selector(),
    selector({}, { key: 'env', operator: 'DoesNotExist', values: [] }),
  );
  const nodes = [node('n'), node('m')];
  const namespaces = [
    { name: 'default', labels: { env: 'prod' } },
    { name: 'other', labels: {} },
  ];
  const pods = [pod('there', { node: 'n' })];

  it('also finds pods of namespaces that have the label', () => {
    expect(fit(pod('p', { spec: { podAffinity: [term] } }), { nodes, namespaces, pods })).toEqual({
      n: 'ok',
      m: 'InterPodAffinity',
    });
    expect(fit(pod('p', { spec: { podAntiAffinity: [term] } }), { nodes, namespaces, pods })).toEqual({
      n: 'InterPodAffinity',
      m: 'ok',
    });
  });

  it('makes the pod the first of its kind', () => {
    expect(fit(pod('p', { spec: { podAffinity: [term] } }), { nodes, namespaces })).toEqual({ n: 'ok', m: 'ok' });
  });
});

it('an attachment of an in-tree volume that no pod uses takes none of the places of the driver', () => {
  const cluster = {
    nodes: [node('n')],
    csiNodes: [csiNode('n', 1)],
    storageClasses: [storageClass('wait')],
    persistentVolumeClaims: [claim('c')],
    persistentVolumes: [volume('v', { csi: { driver: 'ebs.csi.aws.com', handle: 'vol-1', inTree: true } })],
    volumeAttachments: [
      { name: 'a', attacher: 'ebs.csi.aws.com', nodeName: nodeName('n'), persistentVolume: 'v', attached: true },
    ],
  };
  expect(reason(pod('p', { spec: { volumes: claimVolumes('c') } }), cluster)).toBe('ok');
  // The same volume, used by a pod, does.
  const used = {
    ...cluster,
    persistentVolumeClaims: [claim('c'), boundClaim('d', 'v')],
    pods: [pod('there', { node: 'n', spec: { volumes: claimVolumes('d') } })],
  };
  expect(reason(pod('p', { spec: { volumes: claimVolumes('c') } }), used)).toBe('node(s) exceed max volume count');
});

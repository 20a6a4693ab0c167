import { describe, expect, it } from 'vitest';
import type { Labels } from '../../../../core/model/cluster/selectors.ts';
import { boundClaim, claim, claimVolumes, node, pod, storageClass, volume } from '../../../builders.ts';
import { reason, verdicts } from '../fit.ts';

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const pending = pod('p', { spec: { volumes: claimVolumes('c') } });
const NO = 'node(s) had no available volume zone';

describe('labels of the volume and of the node', () => {
  it.each<[Labels, Labels, string]>([
    [{}, { [ZONE]: 'a' }, 'ok'],
    [{ [ZONE]: 'a' }, { [ZONE]: 'a' }, 'ok'],
    [{ [ZONE]: 'a' }, { [ZONE]: 'b' }, NO],
    [{ [ZONE]: 'a' }, {}, 'ok'],
    [{ [ZONE]: 'a' }, { [REGION]: 'r' }, NO],
    [{ [ZONE]: 'a__b' }, { [ZONE]: 'b' }, 'ok'],
    [{ [ZONE]: 'a__b' }, { [ZONE]: 'c' }, NO],
    [{ [ZONE]: 'a____b' }, { [ZONE]: 'c' }, 'ok'],
    [{ [REGION]: 'r' }, { [ZONE]: 'a', [REGION]: 'r' }, 'ok'],
    [{ [ZONE]: 'a', [REGION]: 'r' }, { [ZONE]: 'a', [REGION]: 's' }, NO],
    [{ [OLD_ZONE]: 'a' }, { [ZONE]: 'a' }, 'ok'],
    [{ [OLD_ZONE]: 'a' }, { [OLD_ZONE]: 'b', [ZONE]: 'a' }, NO],
    [{ [ZONE]: 'a' }, { [OLD_ZONE]: 'a' }, NO],
  ])('%j on %j: %s', (labels, nodeLabels, expected) => {
    const cluster = {
      nodes: [node('n', {}, { labels: nodeLabels })],
      persistentVolumeClaims: [boundClaim('c', 'v')],
      persistentVolumes: [volume('v', { labels })],
    };
    expect(reason(pending, cluster)).toBe(expected);
  });
});

it('reports a volume that does not exist on every node, cordoned ones too', () => {
  const nodes = [node('n'), node('m', {}, { unschedulable: true })];
  const missing = { plugin: 'VolumeZone', reasons: ['persistentvolume "v" not found'] };
  const said = verdicts(pending, { nodes, persistentVolumeClaims: [boundClaim('c', 'v')] });
  expect(said).toEqual({ n: missing, m: missing });
});

it('leaves claims without a volume to VolumeBinding', () => {
  const cluster = {
    nodes: [node('n', {}, { labels: { [ZONE]: 'a' } })],
    persistentVolumeClaims: [claim('c')],
    storageClasses: [storageClass('wait')],
  };
  expect(reason(pending, cluster)).toBe('ok');
});

it('all volumes of the pod must agree', () => {
  const both = pod('p', { spec: { volumes: claimVolumes('c', 'd') } });
  const cluster = {
    nodes: [node('n', {}, { labels: { [ZONE]: 'a' } })],
    persistentVolumeClaims: [boundClaim('c', 'v'), boundClaim('d', 'w')],
    persistentVolumes: [volume('v', { labels: { [ZONE]: 'a' } }), volume('w', { labels: { [ZONE]: 'b' } })],
  };
  expect(reason(both, cluster)).toBe(NO);
});

import { describe, expect, it, test } from 'vitest';
import { ACTIVE_CAPACITY, type CapacityBuffer } from '../../../core/model/cluster/capacity-buffer.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { bufferRoom } from '../../../core/headroom/capacity-buffers.ts';
import { claimVolumes, pod, resources } from '../../builders.ts';
import { buffer, template } from './given.ts';

const CHUNK = template('chunk', { cpu: '500m', memory: '1Gi' });
const room = (given: Partial<CapacityBuffer>, pods = [...WEB]) => {
  const found = bufferRoom(buffer('spare', given), { pods, podTemplates: [CHUNK], priorityClasses: [] });
  return found.ok ? found.value.count : found.error;
};

/** Ten pods of the Deployment web, two of them of an older revision, and one of another kind of the same name. */
const WEB = Array.from({ length: 11 }, (_, i) => {
  const revision = i < 2 ? 'old' : 'new';
  const owner = i === 10 ? 'StatefulSet/web' : `ReplicaSet/web-${revision}`;
  return pod(`web-${i}`, {
    node: 'n',
    owner,
    labels: { app: 'web', 'pod-template-hash': revision },
    createdAt: epochMs(i < 2 ? 1_000 : 2_000),
    requests: i < 2 ? { cpu: '1' } : { cpu: '2', memory: '1Gi' },
  });
});
const OF_WEB = { podTemplate: null, scalable: { apiGroup: 'apps', kind: 'Deployment', name: 'web' } };

describe('the number of virtual pods of a buffer', () => {
  it.each<[string, Partial<CapacityBuffer>, number | string]>([
    ['is that of replicas', { replicas: 3 }, 3],
    ['is none of no replicas', { replicas: 0 }, 0],
    ['is none of fewer than none', { replicas: -1 }, 0],
    ['is what fits into the limits', { limits: resources({ cpu: '1750m' }) }, 3],
    ['is what fits into each of the limits', { limits: resources({ cpu: '4', memory: '3Gi' }) }, 3],
    ['is the smaller of replicas and limits', { replicas: 2, limits: resources({ cpu: '4' }) }, 2],
    ['is the smaller of limits and replicas', { replicas: 9, limits: resources({ cpu: '4' }) }, 8],
    ['is a part of the pods of a Deployment, rounded up', { ...OF_WEB, percentage: 25 }, 3],
    ['is one of a small part', { ...OF_WEB, percentage: 9 }, 1],
    ['is more than the pods of a Deployment', { ...OF_WEB, percentage: 150 }, 15],
    ['is the larger of replicas and a part', { ...OF_WEB, percentage: 50, replicas: 3 }, 5],
    ['is the replicas where these are more than the part', { ...OF_WEB, percentage: 20, replicas: 8 }, 8],
    ['is not a part of what a template is used by', { percentage: 50, replicas: 4 }, 4],
  ])('%s', (_, given, expected) => {
    expect(room(given)).toBe(expected);
  });

  it.each<[string, Partial<CapacityBuffer>, string]>([
    ['it says no number', {}, 'replicas, percentage and limits are not defined'],
    [
      'its template of a very long name does not exist',
      { podTemplate: 'x'.repeat(300_000), replicas: 1 },
      `there is no PodTemplate default/${'x'.repeat(267)}…`,
    ],
    ['its template does not exist', { podTemplate: 'gone', replicas: 1 }, 'there is no PodTemplate default/gone'],
    [
      'its template is in another namespace',
      { namespace: 'other', replicas: 1 },
      'there is no PodTemplate other/chunk',
    ],
    [
      'no pod of its Deployment is there',
      { ...OF_WEB, scalable: { ...OF_WEB.scalable, name: 'api' }, replicas: 1 },
      'no pod of Deployment default/api has been seen',
    ],
    [
      'its limits are of something else',
      { limits: resources({ 'nvidia.com/gpu': 1 }) },
      'no resource of limits is requested by the pod',
    ],
    [
      'it names both',
      { scalable: OF_WEB.scalable, replicas: 1 },
      'exactly one of podTemplateRef and scalableRef must be set',
    ],
    [
      'it names neither',
      { podTemplate: null, replicas: 1 },
      'exactly one of podTemplateRef and scalableRef must be set',
    ],
  ])('is not known where %s', (_, given, expected) => {
    expect(room(given)).toBe(expected);
  });

  it.each([
    ['a StatefulSet', 'apps', 'StatefulSet', 'web', 1],
    ['a ReplicaSet', 'apps', 'ReplicaSet', 'web-old', 2],
    [
      'a kind of another API group',
      'apps.kruise.io',
      'StatefulSet',
      'web',
      'no pod of StatefulSet default/web has been seen',
    ],
  ])('counts the pods of %s', (_, apiGroup, kind, name, expected) => {
    expect(room({ podTemplate: null, scalable: { apiGroup, kind, name }, percentage: 100 })).toBe(expected);
  });
});

test.each<[string, Partial<Pod>]>([
  ['have completed', { phase: 'Succeeded' }],
  ['have failed', { phase: 'Failed' }],
  ['are being deleted', { deletedAt: epochMs(3_000) }],
  ['are of an older Deployment of another name', { controller: { ...WEB[9]!.controller!, name: 'web-new-new' } }],
  ['have no revision', { labels: { app: 'web' } }],
])('of the pods of a Deployment, those that %s do not count', (_, given) => {
  const pods = WEB.map((one, i) => (i >= 6 && i < 10 ? { ...one, ...given } : one));
  expect(room({ ...OF_WEB, percentage: 100 }, pods)).toBe(6);
});

test('the virtual pods are like the newest pod, without what ties it to a node, a volume or a PodGroup', () => {
  const bound = pod('web-1', {
    node: 'n',
    owner: 'ReplicaSet/web-new',
    labels: { app: 'web', 'pod-template-hash': 'new' },
    requests: { cpu: '2' },
    spec: { volumes: claimVolumes('data'), schedulingGates: ['wait'], podGroup: 'train', nodeSelector: { pool: 'a' } },
  });
  const found = bufferRoom(buffer('spare', { ...OF_WEB, replicas: 1 }), {
    pods: [bound],
    podTemplates: [],
    priorityClasses: [],
  });
  expect(found).toMatchObject({
    ok: true,
    value: {
      pod: {
        name: 'capacity-buffer-spare',
        nodeName: null,
        controller: null,
        labels: { app: 'web' },
        spec: { volumes: [], schedulingGates: [], podGroup: undefined, nodeSelector: { pool: 'a' } },
      },
    },
  });
  expect(ACTIVE_CAPACITY).toBe('buffer.x-k8s.io/active-capacity');
});

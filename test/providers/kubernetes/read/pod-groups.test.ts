import { expect, it } from 'vitest';
import { writePodGroup } from '../../../../providers/manifest/pod-group.ts';
import { KINDS } from '../kinds.ts';
import { apiServer, type Handler, json, refuse } from '../api-server.ts';
import { createClusterReader } from '../../../cluster-access.ts';

const list =
  (kind: string, items: readonly unknown[]): Handler =>
  (_seen, response) =>
    json(response, 200, { kind: `${kind}List`, apiVersion: 'v1', metadata: {}, items });

const TRAIN = { namespace: 'default', name: 'train', minCount: 30, disruptedTogether: false, notSimulated: null };

async function read(spec: object, podGroups: Handler = list('PodGroup', [writePodGroup(TRAIN)])) {
  const asked: string[] = [];
  await using server = await apiServer((seen, response, count) => {
    const resource = seen.path.split('/').at(-1)!;
    asked.push(seen.path);
    const kind = KINDS[resource];
    const pod = { metadata: { name: 'p', namespace: 'default' }, spec: { containers: [], ...spec } };
    const answer = kind === undefined ? podGroups : list(kind, kind === 'Pod' ? [pod] : []);
    answer(seen, response, count);
  });
  const reader = createClusterReader(server.connection, { transport: { firstPauseMs: 5 }, configMaps: [] });
  try {
    const { objects } = await reader.read();
    return { podGroups: objects.podGroups, asked: asked.filter((path) => path.includes('podgroups')) };
  } finally {
    reader.close();
  }
}

it('are read where a pod names one', async () => {
  expect(await read({ schedulingGroup: { podGroupName: 'train' } })).toEqual({
    podGroups: [TRAIN],
    asked: ['/apis/scheduling.k8s.io/v1beta1/podgroups'],
  });
});

it('are not asked for where no pod names one', async () => {
  expect(await read({})).toEqual({ podGroups: [], asked: [] });
});

it.each([
  [404, 'NotFound'],
  [403, 'Forbidden'],
])('there are none where the API server answers %i', async (code, reason) => {
  const refused: Handler = (_seen, response) => refuse(response, code, reason, 'no');
  const { podGroups } = await read({ schedulingGroup: { podGroupName: 'train' } }, refused);
  expect(podGroups).toEqual([]);
});

import { expect, test } from 'vitest';
import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { chanceFor } from '../../../simulation/chance.ts';
import { createApiServer } from '../../../simulation/cluster/api-server.ts';
import {
  chooseNode,
  explainSchedule,
  putNode,
  removeNode,
  setAside,
  type SchedulerView,
  viewOn,
} from '../../../simulation/cluster/scheduler-view.ts';
import { node, pod } from '../../builders.ts';

const AMOUNTS = { cpu: 4, memory: '16Gi', pods: 20 };
const inZone = (zone: string) => ({ labels: { [ZONE_LABEL]: zone } });
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web' };
const web = (name: string, on: string | null): Pod => ({
  ...pod(name, { requests: { cpu: 0.5 }, labels: { app: 'web' } }),
  controller: owner,
  nodeName: on === null ? null : nodeName(on),
});

/** Three nodes in two zones with pods of a ReplicaSet, and a pod that waits for a preemption on one of them. */
function cluster() {
  const api = createApiServer();
  for (const [name, zone] of [
    ['b', '1'],
    ['d', '2'],
    ['f', '2'],
  ] as const) {
    api.putNode(node(name, AMOUNTS, inZone(zone)));
  }
  ['b', 'b', 'd', 'f', 'f', 'f'].forEach((on, index) => api.createPod(web(`web-${index}`, on)));
  api.createPod({ ...pod('urgent', { requests: { cpu: 1 } }), nominatedNodeName: nodeName('f') });
  return { api, view: viewOn(api.objects()) };
}

type Cluster = ReturnType<typeof cluster>;

/** The behavior of a scheduler by the view: free room, the nodes that are chosen one after another, and why a giant fits nowhere. */
function behavior(view: SchedulerView) {
  const chance = chanceFor(1, 'ties');
  const next = web('web-next', null);
  const kind = view.snapshot.kindOf(next);
  view.snapshot.fork();
  const takes = setAside(view, next, kind);
  const chosen = Array.from({ length: 8 }, () => {
    const info = chooseNode(view, { pod: next, kind }, takes, chance);
    if (info !== null) {
      view.snapshot.place(kind, info);
    }
    return info?.name;
  });
  view.snapshot.revert();
  return {
    free: view.nodes.map(({ name, free }) => [name, ...free]),
    homes: [...view.homes].map(([key, { info }]) => [key, info.name]),
    nominations: [...view.nominations].map(([key, { info }]) => [key, info.name]),
    owners: view.nodes.map(({ index }) => view.scorer.owners.of('default/ReplicaSet/web').get(index)),
    chosen,
    giant: explainSchedule(view, view.snapshot.kindOf(pod('giant', { requests: { cpu: 64 } }))),
  };
}

test.each([
  [
    'a node comes',
    ({ api, view }: Cluster): boolean => {
      api.putNode(node('c', AMOUNTS, inZone('1')));
      return putNode(view, api.nodes.get(nodeName('c'))!, api.pods);
    },
  ],
  [
    'a node changes',
    ({ api, view }: Cluster): boolean => {
      api.putNode({ ...api.nodes.get(nodeName('f'))!, unschedulable: true });
      return putNode(view, api.nodes.get(nodeName('f'))!, api.pods);
    },
  ],
  [
    'a node is taken away',
    ({ api, view }: Cluster): boolean => {
      [...api.pods].filter(([, { nodeName: on }]) => on === 'b').forEach(([key]) => api.deletePod(key));
      api.deleteNode(nodeName('b'));
      removeNode(view, nodeName('b'));
      return true;
    },
  ],
] as const)('where %s, a view that follows is as a new one', (_, change) => {
  const given = cluster();
  expect(change(given)).toBe(true);
  expect(behavior(given.view)).toEqual(behavior(viewOn(given.api.objects())));
});

test('a view does not follow a node that pods are nominated to before it is there, nor many former nodes', () => {
  const { api, view } = cluster();
  api.createPod({ ...pod('early', { requests: { cpu: 1 } }), nominatedNodeName: nodeName('z') });
  expect(putNode(view, node('z', AMOUNTS), api.pods)).toBe(false);
  const followed = Array.from({ length: 100 }, () => putNode(view, node('b', AMOUNTS, inZone('1')), api.pods));
  expect(followed[0]).toBe(true);
  expect(followed.at(-1)).toBe(false);
});

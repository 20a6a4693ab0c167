import { expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { controllersByUid, controllersOf } from '../../../../core/scaledown/drainability/controllers.ts';
import { barePod, controller } from '../given.ts';

const web = controller('ReplicaSet', 'web');
const nameless = { ...controller('StatefulSet', 'db'), uid: '' };
const find = controllersOf([web, nameless, { ...controller('ReplicaSet', 'other'), uid: '' }]);
const of = (kind: string, name: string, uid: string, namespace = 'default', apiVersion = 'apps/v1'): Pod => ({
  ...barePod({ namespace }),
  controller: { apiVersion, kind, name, uid },
});

it('by uid alone, a controller of the same name that came later is another one', () => {
  const byUid = controllersByUid([web]);
  expect(byUid(of('ReplicaSet', 'web', web.uid))).toBe(web);
  expect(byUid(of('ReplicaSet', 'web', 'older'))).toBeNull();
  expect(byUid(of('ReplicaSet', 'web', web.uid, 'else'))).toBeNull();
  expect(byUid(of('ReplicaSet', 'web', web.uid, 'default', 'apps.kruise.io/v1'))).toBeNull();
});

it.each([
  ['no controller', barePod(), null],
  ['by its uid', of('ReplicaSet', 'web', web.uid), web],
  ['by its name, where the uid is of one that was there before', of('ReplicaSet', 'web', 'older'), web],
  ['by its name, where neither has a uid', of('StatefulSet', 'db', ''), nameless],
  ['of another namespace', of('ReplicaSet', 'web', 'x', 'else'), null],
  ['of another namespace, though the uid is the same', of('ReplicaSet', 'web', web.uid, 'else'), null],
  ['of another version of the same API group', of('ReplicaSet', 'web', 'x', 'default', 'apps/v1beta2'), web],
  ['of another API group', of('ReplicaSet', 'web', 'x', 'default', 'apps.kruise.io/v1'), null],
  ['of another API group, though the uid is the same', of('ReplicaSet', 'web', web.uid, 'default', 'v1'), null],
  ['of another kind', of('Job', 'web', 'x'), null],
  ['of another name', of('ReplicaSet', 'gone', 'x'), null],
])('%s', (_, pod, expected) => {
  expect(find(pod)).toBe(expected);
});

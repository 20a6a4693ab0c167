import { expect, test } from 'vitest';
import {
  controllerByUid,
  listedController,
  daemonSetsAmong,
  kindsAmong,
} from '../../../../core/model/cluster/controller-lists.ts';
import { placeOfController, sortedControllers, withController } from '../../../../core/model/cluster/sorted-objects.ts';
import type { Controller } from '../../../../core/model/cluster/workloads.ts';
import { pod } from '../../../builders.ts';

const of = (
  kind: Controller['kind'],
  namespace: string,
  name: string,
  uid = `${kind} ${namespace} ${name}`,
): Controller => ({ kind, namespace, name, uid, replicas: 1, template: null });
const LIST = [
  of('Job', 'shop', 'a'),
  of('Job', 'shop-2', 'a'),
  of('DaemonSet', 'kube-system', 'agent'),
  of('ReplicaSet', 'shop', 'web'),
  of('Job', 'shop', 'c', 'first'),
  of('Job', 'shop', 'c', 'second'),
  of('StatefulSet', 'shop', 'db', ''),
];

const podOf = ({ kind, namespace, name, uid }: Controller) => ({
  ...pod('p', { namespace }),
  controller: { apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1', kind, name, uid },
});

test('every controller with a uid is found, whatever the order of the list and whichever others have its name', () => {
  for (const list of [LIST, LIST.toReversed(), sortedControllers(LIST)]) {
    for (const one of LIST.filter(({ uid }) => uid !== '')) {
      expect(controllerByUid(list, podOf(one))).toBe(one);
    }
  }
});

test('of another name, namespace or kind is found by its uid only where namespace and kind are the same', () => {
  const [job] = LIST as [Controller];
  expect(controllerByUid(LIST, podOf({ ...job, name: 'renamed' }))).toBe(job);
  expect(controllerByUid(LIST, podOf({ ...job, namespace: 'shop-2' }))).toBeNull();
  expect(controllerByUid(LIST, podOf({ ...job, kind: 'ReplicaSet' }))).toBeNull();
  expect(controllerByUid(LIST, podOf({ ...job, uid: 'another' }))).toBeNull();
  expect(controllerByUid(LIST, podOf(LIST.at(-1)!))).toBeNull();
  expect(controllerByUid(LIST, { ...podOf(job), controller: null })).toBeNull();
});

test('the place of a controller is that of the first one that does not come before it', () => {
  const inOrder = sortedControllers(LIST);
  for (const [place, one] of inOrder.entries()) {
    const found = placeOfController(inOrder, one);
    expect(found).toBeLessThanOrEqual(place);
    expect(inOrder[found]).toMatchObject({ kind: one.kind, namespace: one.namespace, name: one.name });
  }
  expect(placeOfController(inOrder, of('StatefulSet', 'z', 'z'))).toBe(LIST.length);
  expect(placeOfController([], of('Job', 'shop', 'a'))).toBe(0);
});

test('the DaemonSets and the kinds of a list', () => {
  expect(daemonSetsAmong(LIST)).toEqual([LIST[2]]);
  expect([...kindsAmong(LIST)]).toEqual(['Job', 'DaemonSet', 'ReplicaSet', 'StatefulSet']);
});

test('a list that is made of one controller after another is in order, and has each of them once', () => {
  const empty: readonly Controller[] = [];
  const changed = LIST.filter(({ uid }) => uid !== '').map((one) => ({ ...one, replicas: 7 }));
  for (const given of [changed, changed.toReversed()]) {
    const list = [...LIST.filter(({ uid }) => uid !== ''), ...given].reduce(withController, empty);
    expect(sortedControllers([...list])).toEqual(list);
    expect(list).toHaveLength(changed.length);
    expect(new Set(list)).toEqual(new Set(changed));
  }
  expect(empty).toEqual([]);
});

const web = of('ReplicaSet', 'default', 'web');
const KNOWN = [web, of('StatefulSet', 'default', 'db', ''), of('ReplicaSet', 'default', 'other', '')];
const owned = (kind: string, name: string, uid: string, namespace = 'default', apiVersion = 'apps/v1') => ({
  ...pod('p', { namespace }),
  controller: { apiVersion, kind, name, uid },
});

test('by uid alone, a controller of the same name that came later is another one', () => {
  expect(controllerByUid([web], owned('ReplicaSet', 'web', web.uid))).toBe(web);
  expect(controllerByUid([web], owned('ReplicaSet', 'web', 'older'))).toBeNull();
  expect(controllerByUid([web], owned('ReplicaSet', 'web', web.uid, 'else'))).toBeNull();
  expect(controllerByUid([web], owned('ReplicaSet', 'web', web.uid, 'default', 'apps.kruise.io/v1'))).toBeNull();
});

test.each([
  ['no controller', pod('p'), null],
  ['by its uid', owned('ReplicaSet', 'web', web.uid), web],
  ['by its name, where the uid is of one that was there before', owned('ReplicaSet', 'web', 'older'), web],
  ['by its name, where neither has a uid', owned('StatefulSet', 'db', ''), KNOWN[1]],
  ['of another namespace', owned('ReplicaSet', 'web', 'x', 'else'), null],
  ['of another namespace, though the uid is the same', owned('ReplicaSet', 'web', web.uid, 'else'), null],
  ['of another version of the same API group', owned('ReplicaSet', 'web', 'x', 'default', 'apps/v1beta2'), web],
  ['of another API group', owned('ReplicaSet', 'web', 'x', 'default', 'apps.kruise.io/v1'), null],
  ['of another API group, though the uid is the same', owned('ReplicaSet', 'web', web.uid, 'default', 'v1'), null],
  ['of another name', owned('ReplicaSet', 'gone', 'x'), null],
])('the controller of a pod: %s', (_, pod, expected) => {
  expect(listedController(KNOWN, pod)).toBe(expected);
});

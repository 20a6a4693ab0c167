import { expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/pod.ts';
import { controllersOf } from '../../../../core/scaledown/drainability/controllers.ts';
import { barePod, controller } from '../given.ts';

const web = controller('ReplicaSet', 'web');
const nameless = { ...controller('StatefulSet', 'db'), uid: '' };
const find = controllersOf([web, nameless, { ...controller('ReplicaSet', 'other'), uid: '' }]);
const of = (kind: string, name: string, uid: string, namespace = 'default'): Pod => ({
  ...barePod({ namespace }),
  controller: { kind, name, uid },
});

it.each([
  ['no controller', barePod(), null],
  ['by its uid', of('ReplicaSet', 'web', web.uid), web],
  ['by its name, where the uid is of one that was there before', of('ReplicaSet', 'web', 'older'), web],
  ['by its name, where nobody has a uid', of('StatefulSet', 'db', ''), nameless],
  ['of another namespace', of('ReplicaSet', 'web', 'x', 'else'), null],
  ['of another kind', of('Job', 'web', 'x'), null],
  ['of another name', of('ReplicaSet', 'gone', 'x'), null],
])('%s', (_, pod, expected) => {
  expect(find(pod)).toBe(expected);
});

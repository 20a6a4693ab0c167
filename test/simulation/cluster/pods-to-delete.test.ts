import { expect, test } from 'vitest';
import { NEW_POD, type Pod } from '../../../core/model/cluster/pod.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { addTime, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { podsToDelete } from '../../../simulation/cluster/pods-to-delete.ts';
import { resources } from '../../builders.ts';
import { plainSpec } from '../../../simulation/cluster/pod-spec.ts';
import { START } from '../builders.ts';

const NOW = addTime(START, minutes(60));

/** A pod that has been ready for this many minutes; `null`: it is not ready. Its UID is its name unless told otherwise. */
const pod = (name: string, node: string | null, age: number | null, extra: Partial<Pod> = {}): Pod => ({
  ...NEW_POD,
  namespace: 'default',
  name,
  uid: name,
  labels: {},
  annotations: {},
  createdAt: START,
  controller: null,
  nodeName: node === null ? null : nodeName(node),
  phase: age === null ? 'Pending' : 'Running',
  ready: age !== null,
  startedAt: age === null ? null : epochMs(NOW - minutes(age)),
  spec: plainSpec(resources({ cpu: 1 })),
  ...extra,
});

const deleted = (pods: readonly Pod[], surplus: number) => podsToDelete(pods, surplus, NOW).map(({ name }) => name);

test('pods without a node are deleted first, then pods that are not ready, the youngest first', () => {
  const pods = [
    pod('ready', 'a', 1),
    pod('another', 'a', 12),
    pod('bound', 'b', null, { createdAt: addTime(START, seconds(7)) }),
    pod('just-bound', 'c', null, { createdAt: addTime(START, seconds(11)) }),
    pod('pending', null, null),
  ];
  expect(deleted(pods, 3)).toEqual(['pending', 'just-bound', 'bound']);
});

test('the node with most pods loses all of them before the next node loses one, however old they are', () => {
  const pods = [
    pod('young', 'c', 2),
    ...['a1', 'a2', 'a3'].map((name, i) => pod(name, 'a', 41 + i)),
    ...['b1', 'b2'].map((name, i) => pod(name, 'b', 5 + i)),
  ];
  expect(deleted(pods, 2)).toEqual(['a1', 'a2']);
  expect(deleted(pods, 4)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('of equally crowded nodes the much younger pods are deleted first, and among pods of similar age the UID decides', () => {
  const pods = [
    pod('oldest', 'a', 55, { uid: '07' }),
    pod('young', 'b', 3, { uid: 'c4' }),
    pod('younger', 'c', 2.6, { uid: 'e1' }),
    pod('old', 'd', 38, { uid: '1b' }),
  ];
  expect(deleted(pods, 4)).toEqual(['young', 'younger', 'oldest', 'old']);
});

// Source: kube-scheduler 1.37, plugins/nodedeclaredfeatures.
import { describe, expect, it } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { clusterSnapshot } from '../../../../core/scheduling/cluster-snapshot.ts';
import { createScheduler } from '../../../../core/scheduling/scheduler.ts';
import { clusterObjects, node, pod } from '../../../builders.ts';
import { fit, reason } from '../fit.ts';

const RESTART = 'RestartAllContainersOnContainerExits';
const restarting = pod('p', { spec: { requiredFeatures: [RESTART] } });
const declaring = (...declaredFeatures: readonly string[]) => ({ declaredFeatures });

it('only a node that declares every feature takes a pod that uses them', () => {
  const nodes = [
    node('both', {}, declaring('A', RESTART)),
    node('other', {}, declaring('A')),
    node('old'),
    node('cordoned', {}, { unschedulable: true }),
  ];
  expect(fit(restarting, { nodes })).toEqual({
    both: 'ok',
    other: 'NodeDeclaredFeatures',
    old: 'NodeDeclaredFeatures',
    cordoned: 'NodeUnschedulable',
  });
  const demanding = pod('p', { spec: { requiredFeatures: ['B', RESTART] } });
  expect(fit(demanding, { nodes: nodes.slice(0, 1) })).toEqual({ both: 'NodeDeclaredFeatures' });
  expect(fit(pod('p'), { nodes: nodes.slice(1, 3) })).toEqual({ other: 'ok', old: 'ok' });
  expect(reason(restarting, { nodes: [node('old')] })).toBe("node(s) didn't match Pod's required features");
});

describe('a new node', () => {
  const verdict = (template: object, ...existing: readonly ReturnType<typeof node>[]) => {
    const objects = clusterObjects({ nodes: [] });
    const snapshot = clusterSnapshot(objects, [restarting]);
    const group = groupName('g');
    existing.forEach((one) => snapshot.addNode(one, group));
    const info = snapshot.addNode(node('new', {}, { uid: 'new', ...template }), group);
    return createScheduler(snapshot, objects).check(snapshot.kindOf(restarting), info)?.plugin ?? 'ok';
  };
  const aged = (name: string, minutes: number, of: object = {}) =>
    node(name, {}, { uid: `uid-${name}`, createdAt: epochMs(minutes * 60_000), ...of });

  it('declares the features of its template', () => {
    expect(verdict(declaring(RESTART), aged('old', 1))).toBe('ok');
    expect(verdict(declaring('A'), aged('upgraded', 1, declaring(RESTART)))).toBe('NodeDeclaredFeatures');
  });

  it('else those of the newest node of the group, in whatever order nodes come', () => {
    const [upgraded, old] = [aged('upgraded', 9, declaring(RESTART)), aged('old', 3)];
    expect(verdict({}, old, upgraded)).toBe('ok');
    expect(verdict({}, upgraded, old)).toBe('ok');
    expect(verdict({}, old)).toBe('NodeDeclaredFeatures');
  });

  it('of nodes of one age the first by name, in whatever order nodes come', () => {
    const [first, second] = [aged('first', 9, declaring(RESTART)), aged('second', 9)];
    expect([verdict({}, first, second), verdict({}, second, first)]).toEqual(['ok', 'ok']);
  });

  it('is not simulated where its group has none: nobody knows the version of its kubelet', () => {
    expect(verdict({})).toBe('NotSimulated');
  });
});

import { describe, expect, it } from 'vitest';
import type { Machine, ScalableResource } from '../../../../providers/clusterapi/api/objects.ts';
import { isRollingOut } from '../../../../providers/clusterapi/groups/rollout.ts';
import { machine, scalable } from '../builders.ts';

const set = (revision: string | null, replicas: number, current = replicas): ScalableResource =>
  scalable('MachineSet', `s${revision}`, {
    annotations: revision === null ? {} : { 'machinedeployment.clusters.x-k8s.io/revision': revision },
    spec: { replicas },
    status: { replicas: current },
  });

describe('a MachineDeployment', () => {
  it.each<[string, readonly ScalableResource[], readonly Machine[], boolean]>([
    ['without MachineSets', [], [], false],
    ['with one MachineSet', [set('1', 3)], [], false],
    ['that grows', [set('1', 5, 3)], [], false],
    ['with empty older MachineSets', [set('1', 0), set('2', 0), set('3', 3)], [], false],
    ['with replicas of an older revision', [set('1', 2), set('2', 1)], [], true],
    ['whose older MachineSet has still Machines', [set('1', 0, 1), set('2', 3)], [], true],
    ['whose latest MachineSet is empty yet', [set('1', 3), set('2', 0)], [], true],
    ['whose revisions have two digits', [set('9', 0), set('10', 3)], [], false],
    ['that went back to an earlier template', [set('3', 3), set('2', 0)], [], false],
    ['with a MachineSet of no revision, in use', [set(null, 1), set('1', 3)], [], true],
    ['without revisions and one MachineSet in use', [set(null, 3), set(null, 0)], [], false],
    ['without revisions and two MachineSets in use', [set(null, 3), set(null, 1)], [], true],
    ['with a Machine that is updated in place', [set('1', 3)], [machine('m', { status: { phase: 'Updating' } })], true],
    ['with a Machine that runs', [set('1', 3)], [machine('m')], false],
  ])('%s', (_case, sets, machines, expected) => {
    expect(isRollingOut(sets, machines)).toBe(expected);
  });
});

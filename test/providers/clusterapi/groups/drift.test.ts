import { describe, expect, it } from 'vitest';
import { notesOf } from '../../../../providers/clusterapi/groups/drift.ts';
import { outdatedSets } from '../../../../providers/clusterapi/groups/rollout.ts';
import { type Raw, machine, scalable } from '../builders.ts';

const ON_DELETE = { rollout: { strategy: { type: 'OnDelete' } } };
const deployment = (spec: Raw = ON_DELETE) => scalable('MachineDeployment', 'web', { spec });

/** A MachineSet of `web`, made in the minute of its revision. */
const set = (revision: number, replicas: number, createdAt = revision) =>
  scalable('MachineSet', `web-${revision}`, {
    annotations: { 'machinedeployment.clusters.x-k8s.io/revision': String(revision) },
    createdAt: `2026-01-01T00:0${createdAt}:00Z`,
    spec: { replicas },
    status: { replicas },
  });

const of = (revision: number) => machine(`m${revision}`, { owner: `MachineSet/web-${revision}` });

describe('a Machine of a MachineDeployment with the strategy OnDelete', () => {
  const note = notesOf(deployment(), [set(3, 1), set(1, 2), set(2, 1)]);

  it('has drifted where it is of an earlier template', () => {
    expect(note(of(1)).drifted).toBe('of MachineSet web-1, and new Machines are of web-3');
    expect(note(of(2)).drifted).toBe('of MachineSet web-2, and new Machines are of web-3');
    expect(note(of(3)).drifted).toBeUndefined();
  });

  it('stays unless it is of the MachineSet that a smaller size is taken from', () => {
    const why = 'its MachineDeployment takes Machines of MachineSet web-1 first (strategy OnDelete)';
    expect([1, 2, 3].map((revision) => note(of(revision)).stays)).toEqual([undefined, why, why]);
  });

  it('has not, and does not stay, where all are of one template', () => {
    const alike = notesOf(deployment(), [set(2, 3), set(1, 0)]);
    expect([alike(of(2)), alike(of(1))]).toEqual([{}, {}]);
  });
});

it.each<[string, Raw]>([
  ['rolls out itself', {}],
  ['rolls out itself, as it says', { rollout: { strategy: { type: 'RollingUpdate' } } }],
  ['has its rollouts paused', { ...ON_DELETE, paused: true }],
])('nothing is said of the Machines of a MachineDeployment that %s', (_, spec) => {
  expect(notesOf(deployment(spec), [set(1, 1), set(2, 1)])(of(1))).toEqual({});
});

describe('the MachineSets of earlier templates', () => {
  const names = (spec: Raw, sets: Parameters<typeof outdatedSets>[1]) =>
    outdatedSets(deployment(spec), sets)?.outdated.map(({ name }) => name) ?? null;

  it('are in the order in which they were made, whatever their revisions: one may have been current again', () => {
    expect(names(ON_DELETE, [set(4, 1), set(3, 1, 1), set(2, 1, 2)])).toEqual(['web-3', 'web-2']);
  });

  it('are known by the strategy of either contract', () => {
    expect(names({ strategy: { type: 'OnDelete' } }, [set(1, 1), set(2, 0)])).toEqual(['web-1']);
  });

  it('are not known where one has no revision', () => {
    const unknown = scalable('MachineSet', 'x', { spec: { replicas: 1 }, status: { replicas: 1 } });
    expect(names(ON_DELETE, [set(1, 1), set(2, 1), unknown])).toBeNull();
  });
});

describe('a Machine of a MachineSet', () => {
  const wanted = scalable('MachineSet', 'bare', { spec: { template: { spec: { version: 'v1.35.0' } } } });
  it.each<[string | undefined, string | undefined]>([
    ['v1.34.2', 'Kubernetes v1.34.2, and not v1.35.0'],
    ['v1.35.0', undefined],
    [undefined, undefined],
  ])('of Kubernetes %s: drifted is %s', (version, drifted) => {
    expect(notesOf(wanted, [])(machine('m', { spec: { version } })).drifted).toBe(drifted);
  });
});

import { describe, expect, it } from 'vitest';
import { freeing, leftoversOf, withFreed } from '../../../core/drain/leftovers.ts';
import { REMOVAL_ANNOTATION } from '../../../core/drain/removal-markers.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import type { Node, Taint } from '../../../core/model/cluster/node.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import type { State } from '../../../core/model/state.ts';
import { node } from '../../builders.ts';
import { group, type GroupGiven, NOW, removalOf, running, scenario } from '../../scenario-builders.ts';

const marked = (secondsAgo: number): Taint => hard(String(Math.floor(NOW / 1_000) - secondsAgo));
const hard = (value: string): Taint => ({ key: 'ToBeDeletedByClusterAutoscaler', value, effect: 'NoSchedule' });
const shared: Taint = { key: 'node-lifecycle.kubernetes.io/disruption', value: 'disrupting', effect: 'NoSchedule' };
const HOUR = 3_600;
/** Before the first eviction 5 s, for it 2 min, 10 min to end and 30 s more, 2 min of annotations, 5 min of the cloud. */
const LONGEST = 5 + 120 + 600 + 30 + 120 + 300;

interface Given {
  readonly taints?: readonly Taint[];
  readonly node?: Partial<Node>;
  readonly group?: GroupGiven;
  readonly options?: Partial<Options>;
  readonly state?: Partial<State>;
  readonly drained?: readonly string[];
}

const given = ({ taints = [marked(HOUR)], node: extra = {}, group: of = {}, ...rest }: Given) =>
  scenario({ groups: [group('g', { nodes: ['n1'], ...of })], nodes: [node('n1', {}, { taints, ...extra })], ...rest });

const found = ({ drained = [], ...rest }: Given): boolean =>
  leftoversOf(given(rest), new Set(drained.map((name) => nodeName(name)))).length > 0;

describe('marks that a Cluster Autoscaler has left', () => {
  it.each<[string, Given, boolean]>([
    ['an hour old', {}, true],
    ['as old as a removal takes', { taints: [marked(LONGEST)] }, false],
    ['older by a second', { taints: [marked(LONGEST + 1)] }, true],
    [
      'where pods are given longer',
      { taints: [marked(LONGEST + 1)], options: { maxGracefulTerminationSec: 601 } },
      false,
    ],
    [
      'where pods go by their priority, one group after the other',
      {
        taints: [marked(LONGEST + 150)],
        options: {
          drainPriorityConfig: [
            { priority: 0, graceSeconds: 600 },
            { priority: 1_000, graceSeconds: 0 },
          ],
        },
      },
      false,
    ],
    ['of the future', { taints: [marked(-HOUR)] }, false],
    ['without a time', { taints: [hard('')] }, false],
    ['with a value that is no time', { taints: [hard('yesterday')] }, false],
    ['beside a removal that is shared and does not tell its time', { taints: [marked(HOUR), shared] }, false],
    ['none', { taints: [] }, false],
    ['of another kind', { taints: [{ key: 'example.com/x', value: '1', effect: 'NoSchedule' }] }, false],
    ['on a node of no group', { group: { nodes: [] } }, false],
    ['on a node of a group that is left out', { group: { invalid: 'a tag is malformed' } }, false],
    ['on a node that is being deleted', { node: { deletedAt: NOW } }, false],
    [
      'on a node that bears those of a drain of ours, too',
      { node: { annotations: { [REMOVAL_ANNOTATION]: '7' } } },
      false,
    ],
    ['on a node of a drain', { drained: ['n1'] }, false],
    ['while another node is drained', { drained: ['n2'] }, true],
    ['on a node that is decided to go', { state: { deletionsInProgress: [removalOf('n1', 'g')] } }, false],
    [
      'on a node whose instance is on its way out',
      { group: { instances: [{ ...running('i-1', 'n1'), state: 'Deleting' }] } },
      false,
    ],
  ])('%s → %s', (_, of, expected) => {
    expect(found({ ...of, options: { ...defaultOptions(), ...of.options } })).toBe(expected);
  });

  it('come off with the cordon, where removals cordon; a node that is not cordoned stays so', () => {
    const [cordoned, open] = [true, false].map((unschedulable) => node('n1', {}, { unschedulable }));
    const cordons = (on: boolean) => ({ ...defaultOptions(), cordonNodeBeforeTerminating: on });
    expect(freeing(cordoned!, cordons(true)).unschedulable).toBe(false);
    expect(freeing(cordoned!, cordons(false)).unschedulable).toBeNull();
    expect(freeing(open!, cordons(true)).unschedulable).toBeNull();
  });

  it('are gone from the scenario with the taint of the cordon, and everything else is as it was', () => {
    const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };
    const other: Taint = { key: 'dedicated', value: 'x', effect: 'NoSchedule' };
    const before = given({ taints: [marked(HOUR), cordon, other], node: { unschedulable: true } });
    const after = withFreed(before, leftoversOf(before, new Set()));
    expect(after).toEqual({
      ...before,
      objects: { ...before.objects, nodes: [{ ...before.objects.nodes[0]!, taints: [other], unschedulable: false }] },
    });
    expect(withFreed(before, [])).toBe(before);
  });
});

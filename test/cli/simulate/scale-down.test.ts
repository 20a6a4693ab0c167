import { describe, expect, test } from 'vitest';
import { tellScaleDown } from '../../../cli/simulate/scale-down.ts';
import { evaluate } from '../../../core/evaluate.ts';
import type { BlockingReason, Decision, ScaleDownDecision } from '../../../core/model/decision.ts';
import { groupName, nodeName, podKey } from '../../../core/model/values/names.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { NOW, scenario, times } from '../../scenario-builders.ts';

const NOTHING = evaluate(scenario({}));

const told = (scaleDown: Partial<ScaleDownDecision>, state: Partial<Decision['state']> = {}, width = 100) =>
  tellScaleDown(
    { ...NOTHING, scaleDown: { ...NOTHING.scaleDown, ...scaleDown }, state: { ...NOTHING.state, ...state } },
    width,
  ).filter((section) => section.length > 0);

const a = groupName('a');
const ago = (length: number) => (NOW - minutes(length)) as typeof NOW;

describe('the scale-down part of a decision in words', () => {
  test('is silent where there is nothing to tell', () => {
    expect(told({})).toEqual([]);
  });

  test('says why nothing is removed', () => {
    expect(told({ result: 'Cooldown', message: 'nodes are added in this evaluation' })).toEqual([
      ['Scale-down: Cooldown, too early to remove a node: nodes are added in this evaluation'],
    ]);
  });

  test('says since when nodes are unneeded', () => {
    const since = { [nodeName('n1')]: ago(7), [nodeName('n2')]: NOW };
    expect(told({ unneeded: [nodeName('n1'), nodeName('n2')] }, { unneededSince: since })).toEqual([
      ['Scale-down: Nothing, no node to remove'],
      ['Unneeded nodes', '  n1  for 7m, since 2026-01-01T11:53:00Z', '  n2  since 2026-01-01T12:00:00Z'],
    ]);
  });

  test.each(['constructor', '__proto__', 'toString'])('a node called %s is like any other', (name) => {
    expect(told({ unneeded: [nodeName(name)] })[1]).toEqual(['Unneeded nodes', `  ${name}`]);
  });

  test('says what goes, and where the pods find room', () => {
    const pods = (count: number) => times(count, (i) => podKey('default', `p-${i}`));
    const to = (name: string, count: number) => ({ node: nodeName(name), pods: count });
    expect(
      told({
        result: 'Planned',
        removals: [
          { node: nodeName('n1'), group: a, kind: 'empty', pods: [], destinations: [] },
          { node: nodeName('n2'), group: a, kind: 'drain', pods: pods(1), destinations: [to('n5', 1)] },
          { node: nodeName('n3'), group: a, kind: 'drain', pods: pods(5), destinations: [to('n5', 4), to('n6', 1)] },
        ],
      }),
    ).toEqual([
      ['Scale-down: Planned, nodes are removed'],
      [
        'Nodes removed',
        '  n1  a  empty',
        '  n2  a  drained of p-0; room for it on n5',
        '  n3  a  drained of p-0, p-1, p-2 and 2 more; room for them on n5 (4), n6',
      ],
    ]);
  });

  test('says why nodes stay, those of the same reason together', () => {
    const used = (name: string, share: string) => ({
      node: nodeName(name),
      reason: 'NotUnderutilized' as const,
      message: `${share} of its cpu is requested, and 50% is the threshold`,
    });
    const blocked = (name: string, podReason: BlockingReason) => ({
      node: nodeName(name),
      reason: 'BlockedByPod' as const,
      pod: podKey('default', `of-${name}`),
      podReason,
      message: 'it has its reasons',
    });
    expect(
      told({
        unremovable: [
          used('n1', '60%'),
          used('n2', '70%'),
          blocked('n3', 'NotReplicated'),
          blocked('n4', 'NotEnoughPdb'),
          blocked('n5', 'NotReplicated'),
          { node: nodeName('n6'), reason: 'NotAutoscaled' },
        ],
      })[1],
    ).toEqual([
      'Nodes kept',
      '  BlockedByPod      1  n4 (of-n4): NotEnoughPdb, it has its reasons',
      '  BlockedByPod      2  n3 (of-n3), n5 (of-n5): NotReplicated, it has its reasons',
      '  NotAutoscaled     1  n6: in no node group',
      '  NotUnderutilized  2  n1, n2: in use',
    ]);
    expect(told({ unremovable: [used('n1', '60%')] })[1]).toEqual([
      'Nodes kept',
      '  NotUnderutilized  1  n1: 60% of its cpu is requested, and 50% is the threshold',
    ]);
  });
});

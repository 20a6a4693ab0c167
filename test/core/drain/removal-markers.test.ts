import { describe, expect, it } from 'vitest';
import { CORDONED_ANNOTATION, EXCLUDE_LABEL, REMOVAL_ANNOTATION } from '../../../core/drain/removal-markers.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { after, aDrain, inPhase, marksOn, oneNodeWorld, step } from './one-node-world.ts';
import { annotated } from './phases/changes.ts';

describe('marks', () => {
  const marked = (before: Partial<Node>, options: Partial<Options> = {}): Node => {
    const world = oneNodeWorld([], before);
    inPhase('Validating', world, {}, { ...defaultOptions(), ...options });
    return world.node!;
  };

  it('are put on in one change', () => {
    expect(marked({})).toMatchObject({
      taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1767268800', effect: 'NoSchedule' }],
      unschedulable: true,
      labels: { [EXCLUDE_LABEL]: 'outrigger' },
      annotations: { [REMOVAL_ANNOTATION]: '7-web/n1', [CORDONED_ANNOTATION]: 'true' },
    });
  });

  it('are the shared taint by option, and no cordon by option', () => {
    const node = marked({}, { nodeLifecycleTaints: true, cordonNodeBeforeTerminating: false });
    expect(node.taints).toEqual([
      { key: 'node-lifecycle.kubernetes.io/disruption', value: 'disrupting', effect: 'NoSchedule' },
    ]);
    expect(node.unschedulable).toBe(false);
  });

  it.each<[string, Partial<Node>, readonly string[]]>([
    ['nothing', {}, []],
    ['its cordon', { unschedulable: true }, ['cordon']],
    ['its label', { labels: { [EXCLUDE_LABEL]: 'true' } }, ['label']],
    ['its other taints', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] }, []],
  ])('come off again, and leave the node %s', (_, before, left) => {
    const world = oneNodeWorld([], before);
    const drain = inPhase('Validating', world);
    annotated(world, 'karpenter.sh/do-not-disrupt');
    const { does, effects, drain: rolling } = step(drain, world, 1);
    expect(does).toEqual(['take marks off']);
    world.perform(effects, () => 'done', after(1));
    expect(marksOn(world.node!)).toEqual(left);
    expect(world.node!.taints.length).toBe(before.taints?.length ?? 0);
    expect(step(rolling, world, 3).drain.phase).toBe('RolledBack');
  });

  it('of another drain are taken over', () => {
    const world = oneNodeWorld();
    inPhase('Validating', world, { id: '3-web/n1' });
    expect(step(aDrain(), world, 0).does).toEqual(['put marks on']);
  });

  it.each([
    ['ToBeDeletedByClusterAutoscaler', '1767268501'],
    ['ToBeDeletedByClusterAutoscaler', ''],
    ['node-lifecycle.kubernetes.io/disruption', 'disrupting'],
  ])('of another component are left alone: %s=%s', (key, value) => {
    const taints = [{ key, value, effect: 'NoSchedule' }];
    const { drain, does } = step(aDrain(), oneNodeWorld([], { taints }), 0);
    expect(does).toEqual([]);
    expect(drain).toMatchObject({ phase: 'RolledBack', outcome: { failure: 'NoLongerRemovable' } });
  });
});

describe('marks of a removal that has come to nothing', () => {
  const left = { key: 'ToBeDeletedByClusterAutoscaler', value: '1767268500', effect: 'NoSchedule' };

  it('are taken over five minutes later, whichever component left them', () => {
    const world = oneNodeWorld([], { taints: [left] });
    const { does, effects, drain } = step(aDrain(), world, 0);
    expect(does).toEqual(['put marks on']);
    world.perform(effects, () => 'done', after(0));
    expect(world.node!.taints).toEqual([{ ...left, value: '1767268800' }]);
    expect(step(drain, world, 2).drain.phase).toBe('Validating');
  });
});

import { describe, expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../../../core/evaluate.ts';
import { historyEntry, storyOf } from '../../../../core/explanation/history/story.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { epochMs, minutes } from '../../../../core/model/values/time.ts';
import { node, pod } from '../../../builders.ts';
import { group, NOW, scenario } from '../../../scenario-builders.ts';

const of = (pods: readonly ReturnType<typeof pod>[], max = 10): Scenario =>
  scenario({ groups: [group('a', { nodes: ['n1'], max })], nodes: [node('n1', { cpu: 4, memory: '16Gi' })], pods });
const later = (given: Scenario): Scenario => ({ ...given, now: epochMs(NOW + minutes(3)), seed: 7 });
const resized = (given: Scenario, from: number): Scenario => ({
  ...given,
  nodeGroups: given.nodeGroups.map((one) => ({ ...one, resizedByOthers: { from, to: 1 } })),
});
const waits = pod('waits', { requests: { cpu: 100 }, owner: 'ReplicaSet/waits' });

describe('what a decision says', () => {
  it('is the same after some minutes in which nothing but the time has changed', () => {
    const given = of([waits]);
    expect(storyOf(evaluateScaleUp(later(given)))).toBe(storyOf(evaluateScaleUp(given)));
    const first = evaluateScaleDown(of([]));
    const second = evaluateScaleDown({ ...later(of([])), state: first.state });
    expect(second.scaleDown.unremovable).not.toEqual(first.scaleDown.unremovable);
    expect(storyOf(second)).toBe(storyOf(first));
  });

  it('is another thing where a pod waits that did not, gets a node, waits for another reason, or a group is resized', () => {
    const stories = [
      of([]),
      of([waits]),
      of([pod('waits', { requests: { cpu: 100, memory: '400Gi' }, owner: 'ReplicaSet/waits' })]),
      of([pod('waits', { requests: { cpu: 3 }, owner: 'ReplicaSet/waits' }), pod('p', { requests: { cpu: 4 } })]),
      of([waits], 1),
      resized(of([waits], 1), 7),
      resized(of([waits], 1), 8),
    ].map((given) => storyOf(evaluateScaleUp(given)));
    expect(new Set(stories).size).toBe(stories.length);
  });

  it('in a line says what it orders, and is never longer than a thousand characters', () => {
    const many = Array.from({ length: 400 }, (_, n) =>
      group(`group-${n}-with-a-long-name`, { invalid: 'tag k8s.io/x: expected a number, found "many"' }),
    );
    const given = scenario({ groups: [group('a'), ...many], pods: [pod('p', { requests: { cpu: 1 } })] });
    const entry = historyEntry(12, NOW, evaluateScaleUp(given));
    expect(entry).toMatchObject({ id: '12', at: NOW, kind: 'scale-up', changes: true });
    expect(entry.did).toMatch(/^1 pending pod; scale up a 0 → 1; /);
    expect(entry.did.length).toBe(1_000);
  });
});

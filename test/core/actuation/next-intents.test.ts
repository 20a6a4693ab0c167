import { describe, expect, it } from 'vitest';
import { isRunOver, nextIntents, type RunProgress } from '../../../core/actuation/next-intents.ts';
import { laneOf } from '../../../core/actuation/intent-order.ts';
import type { Intent, SetSizeIntent } from '../../../core/model/intent.ts';
import type { NoticeKind } from '../../../core/model/notice.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { NOW, sizeIntent } from '../../scenario-builders.ts';

const common = { createdAt: NOW, status: 'pending', attempts: 0, claimedUntil: null, outcome: null } as const;
const grows = (group: string, part: Partial<SetSizeIntent> = {}): Intent => sizeIntent(group, 1, 2, part);
const repairs = (group: string): Intent => ({
  ...common,
  id: `1-${group}`,
  group: groupName(group),
  kind: 'DeleteInstances',
  instances: [instanceId(`i-${group}`)],
  force: false,
});
const removes = (group: string, notice: NoticeKind | null): Intent => ({
  ...common,
  id: `2-${group}`,
  group: groupName(group),
  kind: 'RemoveNodes',
  nodes: [
    {
      node: nodeName(`n-${group}`),
      uid: 'u',
      instance: instanceId(`i-${group}`),
      kind: 'drain',
      ...(notice !== null && { notice: { kind: notice, deadline: addTime(NOW, minutes(2)), hook: null } }),
    },
  ],
});
const run = (part: Partial<RunProgress> = {}): RunProgress => ({
  inHand: new Map(),
  blocked: new Set(),
  ended: new Set(),
  ...part,
});
const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);
const taken = (intents: readonly Intent[], of: Partial<RunProgress> = {}): readonly string[] =>
  nextIntents(intents, run(of), NOW).map(({ intent }) => intent.group);

describe('the intents to take up', () => {
  it('are those that no run has ended, and of groups that are free', () => {
    const intents = [grows('a'), grows('b'), grows('c'), grows('d', { status: 'done' })];
    const of = { ended: new Set(['1-a']), blocked: new Set([laneOf(grows('b'))]) };
    expect(taken(intents, of)).toEqual(['c']);
    expect(taken(intents, { ...of, inHand: new Map([[laneOf(grows('c')), true]]) })).toEqual([]);
  });

  it('are eight at a time, groups that grow first', () => {
    const intents = [...numbered('r', 10).map(repairs), ...numbered('g', 6).map((name) => grows(name))];
    expect(taken(intents)).toEqual([...numbered('g', 6), 'r0', 'r1']);
  });

  it('are eight together with those in hand, none of them for repairs while groups grow', () => {
    const inHand = new Map(numbered('h', 6).map((name) => [laneOf(grows(name)), true] as const));
    const intents = [...numbered('r', 4).map(repairs), ...numbered('g', 4).map((name) => grows(name))];
    expect(taken(intents, { inHand })).toEqual(['g0', 'g1']);
  });

  it('are no more urgent because another group grows', () => {
    const urgent = nextIntents([sizeIntent('shrinks', 3, 2), grows('g')], run(), NOW);
    expect(urgent.map(({ intent, urgent: isUrgent }) => [intent.group, isUrgent])).toEqual([
      ['g', true],
      ['shrinks', false],
    ]);
  });

  it('leave four places for groups that grow while others are repaired', () => {
    expect(taken(numbered('r', 10).map(repairs))).toEqual(numbered('r', 4));
    const inHand = new Map(numbered('r', 4).map((name) => [laneOf(repairs(name)), false] as const));
    expect(
      taken([...numbered('r', 10).map(repairs), ...numbered('g', 6).map((name) => grows(name))], { inHand }),
    ).toEqual(numbered('g', 4));
  });

  const claimed = { claimedUntil: addTime(NOW, minutes(2)) };
  const kinds = (intents: readonly Intent[], of: Partial<RunProgress> = {}): readonly string[] =>
    nextIntents(intents, run(of), NOW).map(({ intent }) => intent.kind);

  it('are removals for a notice, too, while a size of that group is claimed, tried in vain or in hand', () => {
    const removal = removes('a', 'SpotInterruption');
    expect(kinds([grows('a', claimed), removal])).toEqual(['RemoveNodes']);
    expect(kinds([grows('a'), removal], { blocked: new Set([laneOf(grows('a'))]) })).toEqual(['RemoveNodes']);
    expect(kinds([grows('a'), removal], { inHand: new Map([[laneOf(grows('a')), true]]) })).toEqual(['RemoveNodes']);
    expect(kinds([grows('a'), removal])).toEqual(['SetSize', 'RemoveNodes']);
  });

  it.each([null, 'RebalanceRecommendation'] as const)('are no removals of %s while a size is claimed', (notice) => {
    expect(kinds([grows('a', claimed), removes('a', notice)])).toEqual([]);
  });

  it('are removals for notices whose predecessor is claimed', () => {
    const [claimedOne, next] = ['SpotInterruption', 'LifecycleHook'].map((kind, n) => ({
      ...removes('a', kind as NoticeKind),
      id: `${n + 2}-a`,
    }));
    const ids = nextIntents([{ ...claimedOne!, ...claimed }, next!], run({}), NOW).map(({ intent }) => intent.id);
    expect(ids).toEqual(['3-a']);
    expect(nextIntents([claimedOne!, next!], run({}), NOW).map(({ intent }) => intent.id)).toEqual(['2-a']);
  });

  it('are removals for notices before repairs', () => {
    const intents = [...numbered('r', 10).map(repairs), removes('z', 'SpotInterruption')];
    expect(taken(intents)[0]).toBe('z');
  });
});

it('a run is over when it has seen the intents after its last one ended, and nothing is in hand', () => {
  const ended = new Set(['1-a']);
  expect(isRunOver(run({ ended }), 1)).toBe(true);
  expect(isRunOver(run({ ended }), 0)).toBe(false);
  expect(isRunOver(run({ inHand: new Map([[laneOf(grows('b')), true]]), ended }), 1)).toBe(false);
});

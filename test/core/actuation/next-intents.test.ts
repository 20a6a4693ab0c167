import { describe, expect, it } from 'vitest';
import { isRunOver, nextIntents, type RunProgress } from '../../../core/actuation/next-intents.ts';
import type { Intent } from '../../../core/model/intent.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { NOW } from '../../scenario-builders.ts';

const common = { createdAt: NOW, status: 'pending', attempts: 0, claimedUntil: null, outcome: null } as const;
const grows = (group: string, part: Partial<Intent> = {}): Intent =>
  ({
    ...common,
    id: `1-${group}`,
    group: groupName(group),
    kind: 'SetSize',
    from: 1,
    to: 2,
    drained: [],
    ...part,
  }) as Intent;
const repairs = (group: string): Intent => ({
  ...common,
  id: `1-${group}`,
  group: groupName(group),
  kind: 'DeleteInstances',
  instances: [instanceId(`i-${group}`)],
  force: false,
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
    const of = { ended: new Set(['1-a']), blocked: new Set([groupName('b')]) };
    expect(taken(intents, of)).toEqual(['c']);
    expect(taken(intents, { ...of, inHand: new Map([[groupName('c'), true]]) })).toEqual([]);
  });

  it('are eight at a time, groups that grow first', () => {
    const intents = [...numbered('r', 10).map(repairs), ...numbered('g', 6).map((name) => grows(name))];
    expect(taken(intents)).toEqual([...numbered('g', 6), 'r0', 'r1']);
  });

  it('leave four places for groups that grow while others are repaired', () => {
    expect(taken(numbered('r', 10).map(repairs))).toEqual(numbered('r', 4));
    const inHand = new Map(numbered('r', 4).map((name) => [groupName(name), false] as const));
    expect(
      taken([...numbered('r', 10).map(repairs), ...numbered('g', 6).map((name) => grows(name))], { inHand }),
    ).toEqual(numbered('g', 4));
  });
});

it('a run is over when it has seen the intents after its last one ended, and nothing is in hand', () => {
  const ended = new Set(['1-a']);
  expect(isRunOver(run({ ended }), 1)).toBe(true);
  expect(isRunOver(run({ ended }), 0)).toBe(false);
  expect(isRunOver(run({ inHand: new Map([[groupName('b'), true]]), ended }), 1)).toBe(false);
});

import { describe, expect, test } from 'vitest';
import { decisionText } from '../../../cli/simulate/text.ts';
import { evaluate } from '../../../core/evaluate.ts';
import { fit } from '../../../core/fit.ts';
import type { ConsideredOption, Decision, PodOutcome, ScaleUpDecision } from '../../../core/model/decision.ts';
import { groupName, instanceId, podKey } from '../../../core/model/values/names.ts';
import type { Backoff } from '../../../core/model/state.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { backoffSince, group, NOW, scenario, times } from '../../scenario-builders.ts';

const NOTHING = evaluate(scenario({}));
const told = (scaleUp: Partial<ScaleUpDecision>, more: Partial<Decision> = {}, width = 100): readonly string[] =>
  decisionText({ ...NOTHING, name: 'test', scaleUp: { ...NOTHING.scaleUp, ...scaleUp }, ...more }, width).split('\n');

const option = (name: string, given: Partial<ConsideredOption> = {}): ConsideredOption => ({
  group: groupName(name),
  nodes: 2,
  pods: 8,
  waste: 0.5,
  similarGroups: [],
  ...given,
});
const pods = (count: number, outcome: Omit<PodOutcome, 'pod'>, prefix = 'p'): readonly PodOutcome[] =>
  times(count, (i) => ({ pod: podKey('default', `${prefix}-${i}`), ...outcome }));
const from = (lines: readonly string[], title: string): readonly string[] => {
  const start = lines.findIndex((line) => line.startsWith(title));
  return lines.slice(start, lines.indexOf('', start));
};

describe('a decision in words', () => {
  test('says which groups grow, why, and for whom', () => {
    const backoff: Backoff = backoffSince(epochMs(NOW - minutes(1)));
    const groups = ['a', 'b'].map((zone) => group(`web-${zone}`, { zone: `us-east-1${zone}` }));
    const input = scenario({
      groups: [...groups, group('broken'), group('full', { max: 0 })],
      nodes: [node('old', { cpu: 1 })],
      state: { backoff: { [groupName('broken')]: backoff } },
      pods: [...times(6, (i) => pod(`p-${i}`, { requests: { cpu: 2 } })), pod('huge', { requests: { cpu: 99 } })],
    });
    expect(decisionText({ ...evaluate(input), fit: fit(input) }, 100).split('\n')).toEqual([
      'test: ScaledUp, node groups grow',
      '',
      'Node groups that grow',
      '  web-a  0 → 1  +1',
      '  web-b  0 → 2  +2',
      '',
      expect.stringMatching(/^Choice: web-[ab]\. least-waste: 2 groups leave 50% unused; random: one of 2 equals$/),
      '     Group  Nodes  Pods  Unused  Similar groups',
      expect.stringMatching(/^ {2}→ {2}web-(a {6}3 {5}6 {5}50% {2}web-b|b {6}3 {5}6 {5}50% {2}web-a)$/),
      expect.stringMatching(/^ {5}web-(a {6}3 {5}6 {5}50% {2}web-b|b {6}3 {5}6 {5}50% {2}web-a)$/),
      '  Balanced: web-a 0 → 1, web-b 0 → 2',
      '',
      'Plan',
      '  Cost  $0.611/h (estimated from size: no node group has a price), 1.000 × the lower bound',
      '        ($0.611/h)',
      '',
      'Skipped node groups',
      '  broken  BackedOff       in backoff after failed scale-up: Quota, until 2026-01-01T12:04:00Z',
      '  full    MaxSizeReached  max node group size reached: maxSize 0',
      '',
      'Pending pods',
      '  Triggered      4  p-0, p-1, p-4 and 1 more: a new node of web-b',
      '  Triggered      2  p-2, p-3: a new node of web-a',
      '  Unschedulable  1  huge: in backoff after failed scale-up: Quota, until 2026-01-01T12:04:00Z',
      '                    (broken); max node group size reached (full); Insufficient cpu (web-a, web-b)',
      '                    web-a, web-b: asks for 99 CPU; a new node has 4',
      '                    broken: asks for 99 CPU; a new node has 4. Also in backoff after failed',
      '                    scale-up: Quota, until 2026-01-01T12:04:00Z',
      '                    full: asks for 99 CPU; a new node has 4. Also max node group size reached',
      '                    Nearest: web-a, with a request of at most 4 CPU',
      '',
      'Existing nodes',
      '  7  huge, p-0, p-1 and 4 more: NodeResourcesFit (insufficient resources) on old',
      '',
      'Cluster: healthy, 1 node',
      '            Ready',
      '  in total      1',
      '  broken        0  target 0, in backoff until 2026-01-01T12:04:00Z',
      '',
      'Scale-down: Cooldown, too early to remove a node: nodes are added in this evaluation',
      '',
      'Nodes kept',
      '  NotAutoscaled  1  old: in no node group',
      '',
    ]);
  });

  test('says what new nodes lack for the pods of each shape, with numbers', () => {
    const input = scenario({
      groups: [group('web')],
      pods: [...times(2, (i) => pod(`huge-${i}`, { requests: { cpu: 99 } })), pod('large', { requests: { cpu: 5 } })],
    });
    expect(from(decisionText(evaluate(input), 100).split('\n'), 'Pending pods')).toEqual([
      'Pending pods',
      '  Unschedulable  2  huge-0, huge-1: Insufficient cpu (web)',
      '                    web: asks for 99 CPU; a new node has 4',
      '                    Nearest: web, with a request of at most 4 CPU',
      '  Unschedulable  1  large: Insufficient cpu (web)',
      '                    web: asks for 5 CPU; a new node has 4',
      '                    Nearest: web, with a request of at most 4 CPU',
    ]);
  });

  test('is one line where there is nothing to do', () => {
    expect(told({})).toEqual(['test: NotNeeded, no pod needs a new node', '']);
  });

  test.each([
    ['Limited', 'test: Limited, max total nodes in cluster reached'],
    ['Cooldown', 'test: Cooldown, too early to decide'],
    ['ClusterUnhealthy', 'test: ClusterUnhealthy, the cluster is unhealthy'],
  ] as const)('says what %s means', (result, line) => {
    expect(told({ result })[0]).toBe(line);
  });
});

describe('a choice', () => {
  const choice = (options: readonly ConsideredOption[], winner: string): readonly string[] =>
    from(told({ considered: [{ options, winner: groupName(winner), why: 'because', split: [] }] }), 'Choice');

  test('shows the winner first, then the better ones, and the incomplete ones last', () => {
    const options = [
      option('a', { waste: 0.1, nodes: 60, pods: 60, incomplete: true }),
      option('b', { waste: 0.9 }),
      option('c', { waste: 0.3 }),
      option('d', { waste: 0.5 }),
    ];
    expect(choice(options, 'd')).toEqual([
      'Choice: d. because',
      '     Group  Nodes  Pods  Unused',
      '  →  d          2     8     25%',
      '     c          2     8     15%',
      '     b          2     8     45%',
      '     a        60+   60+     5%+  incomplete',
    ]);
  });

  test('shows the figures that its expanders went by', () => {
    const options = [option('a', { priority: 10, price: 0.4, priceScore: 1.239 }), option('b', { priority: 50 })];
    expect(choice(options, 'b')).toEqual([
      'Choice: b. because',
      '     Group  Nodes  Pods  Unused  Priority     Price  Price score',
      '  →  b          2     8     25%        50',
      '     a          2     8     25%        10  $0.400/h         1.24',
    ]);
  });

  test('wraps the similar groups of long names', () => {
    const similarGroups = ['a', 'b', 'c'].map((zone) => groupName(`eks-general-purpose-us-east-1${zone}`));
    const options = [option('eks-general-purpose-us-east-1d', { similarGroups })];
    const considered = [{ options, winner: groupName('eks-general-purpose-us-east-1d'), why: 'because', split: [] }];
    expect(from(told({ considered }, {}, 100), 'Choice')).toEqual([
      'Choice: eks-general-purpose-us-east-1d. because',
      '     Group                           Nodes  Pods  Unused  Similar groups',
      '  →  eks-general-purpose-us-east-1d      2     8     25%  eks-general-purpose-us-east-1a,',
      '                                                          eks-general-purpose-us-east-1b,',
      '                                                          eks-general-purpose-us-east-1c',
    ]);
  });

  test('names the best of many groups', () => {
    const lines = choice(
      times(40, (i) => option(`g-${i + 10}`, { waste: i / 100 })),
      'g-49',
    );
    expect(lines).toHaveLength(1 + 1 + 12 + 1);
    expect(lines[2]).toContain('→  g-49');
    expect(lines[3]).toContain('g-10');
    expect(lines.at(-1)).toBe('     and 28 groups more');
  });

  test('is counted where there are several', () => {
    const one = { options: [option('a')], winner: groupName('a'), why: 'because', split: [] };
    const lines = told({ considered: [one, one] });
    expect(lines.filter((line) => line.startsWith('Choice'))).toEqual([
      'Choice 1 of 2: a. because',
      'Choice 2 of 2: a. because',
    ]);
  });
});

describe('pods', () => {
  test('with the same outcome for the same reasons are one row, and the list is cut', () => {
    const reasons = times(40, (i) => ({ group: groupName(`g-${i + 10}`), reason: 'Insufficient cpu' }));
    const lines = told({
      pods: [
        ...pods(1_000, { outcome: 'Unschedulable', reasons }),
        ...pods(2, { outcome: 'Fits' }, 'q'),
        ...pods(1, { outcome: 'Triggered', group: groupName('a') }, 'r'),
      ],
    });
    expect(from(lines, 'Pending pods')).toEqual([
      'Pending pods',
      '  Triggered         1  r-0: a new node of a',
      '  Unschedulable  1000  p-0, p-1, p-2 and 997 more: Insufficient cpu (g-10, g-11, g-12 and 37 more)',
      '  Fits              2  q-0, q-1',
    ]);
  });

  test('fit into the width', () => {
    const lines = told(
      { pods: pods(1, { outcome: 'Ignored', reasons: [{ reason: 'word '.repeat(60).trim() }] }) },
      {},
      60,
    );
    expect(lines.length).toBeGreaterThan(6);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
  });
});

test('repairs are told', () => {
  const lines = told(
    {},
    {
      registry: {
        ...NOTHING.registry,
        repairs: [
          { kind: 'DeleteErrored', group: groupName('a'), instance: instanceId('i-1') },
          { kind: 'DecreaseTarget', group: groupName('b'), from: 5, to: 3 },
        ],
      },
    },
  );
  expect(lines.slice(2)).toEqual([
    'Repairs',
    '  DeleteErrored   a  i-1    terminate an instance with an error',
    '  DecreaseTarget  b  5 → 3  lower the target',
    '',
  ]);
});

test('names do not steer the terminal', () => {
  expect(told({}, { name: 'a\u001b[2Jb\u009bc' })[0]).toMatch(/^a\uFFFD\[2Jb\uFFFDc: /);
});

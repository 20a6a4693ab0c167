import { describe, expect, test } from 'vitest';
import { CAUSES } from '../../../../core/disruption/causes/causes.ts';
import { DRIFTED } from '../../../../core/disruption/causes/drifted.ts';
import { EXPIRED, expiresAt } from '../../../../core/disruption/causes/expired.ts';
import { areTooManyUnwell, conditionToRepair, UNHEALTHY } from '../../../../core/disruption/causes/unhealthy.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import type { NodeCondition } from '../../../../core/model/cluster/node.ts';
import { addTime, type DurationMs, durationMs, minutes } from '../../../../core/model/values/time.ts';
import { group, NOW, running, times } from '../../../scenario-builders.ts';
import { ago, workerNode } from '../../scaledown/cluster.ts';

const condition = (type: string, status: string, since: number | null): NodeCondition => ({
  type,
  status,
  reason: '',
  since: since === null ? null : ago(since),
});

describe('a node is unhealthy', () => {
  const cases: readonly (readonly [type: string, status: string, since: number | null, expected: boolean])[] = [
    ['Ready', 'False', 30, true],
    ['Ready', 'False', 29, false],
    ['Ready', 'Unknown', 31, true],
    ['Ready', 'True', 300, false],
    ['Ready', 'False', null, false],
    ['AcceleratedHardwareReady', 'False', 10, true],
    ['AcceleratedHardwareReady', 'False', 9, false],
    ['AcceleratedHardwareReady', 'Unknown', 60, false],
    ['StorageReady', 'False', 30, true],
    ['NetworkingReady', 'False', 30, true],
    ['KernelReady', 'False', 30, true],
    ['ContainerRuntimeReady', 'False', 29, false],
    ['KernelDeadlock', 'True', 30, true],
    ['KernelDeadlock', 'False', 300, false],
    ['ReadonlyFilesystem', 'True', 30, true],
    ['MemoryPressure', 'True', 300, false],
  ];

  test.each(cases)('%s is %s for %s minutes: %s', (type, status, since, expected) => {
    const node = workerNode('n', { conditions: [condition(type, status, since)] });
    expect(conditionToRepair(node, NOW) !== null).toBe(expected);
  });

  test.each([
    [1, 1, false],
    [2, 1, false],
    [5, 1, false],
    [5, 2, true],
    [6, 2, false],
    [10, 2, false],
    [10, 3, true],
    [11, 3, false],
  ])('of %s nodes %s are: too many %s', (all, unwell, expected) => {
    const nodes = times(all, (i) =>
      workerNode(`n${i}`, { conditions: [condition('Ready', i < unwell ? 'Unknown' : 'True', 1)] }),
    );
    expect(areTooManyUnwell(nodes)).toBe(expected);
  });
});

describe('a node expires', () => {
  const WEEK = durationMs(7 * 24 * 3_600_000);
  const at = (uid: string, expireAfter: DurationMs = WEEK) =>
    expiresAt(workerNode('n', { uid, createdAt: NOW }), expireAfter);

  test('never without an age', () => {
    expect(at('a', durationMs(0))).toBeNull();
    expect(expiresAt(workerNode('n', { createdAt: null }), WEEK)).toBeNull();
  });

  test('by its age, and no more than a tenth of it earlier', () => {
    for (const uid of times(100, (i) => `uid-${i}`)) {
      expect(at(uid)).toBeLessThanOrEqual(addTime(NOW, WEEK));
      expect(at(uid)).toBeGreaterThan(NOW + 0.9 * WEEK - 1);
    }
  });

  test('not with those that were added with it: 100 nodes are spread over the tenth', () => {
    const due = times(100, (i) => at(`uid-${i}`)!);
    const hours = new Set(due.map((time) => Math.floor((time - NOW) / 3_600_000)));
    expect(hours.size).toBeGreaterThan(15);
    expect(Math.max(...due) - Math.min(...due)).toBeGreaterThan(0.09 * WEEK);
  });

  test('at the same time in every evaluation', () => {
    expect(at('a')).toBe(at('a'));
    expect(at('a')).not.toBe(at('b'));
  });
});

describe('a cause', () => {
  const options = defaultOptions();
  const web = group('web', { nodes: ['n'], instances: [{ ...running('i', 'n'), drifted: 'version 1, not 2' }] });
  const old = workerNode('n', { createdAt: ago(60), conditions: [condition('Ready', 'False', 45)] });

  test('is asked for by no default', () => {
    expect(CAUSES.map((cause) => cause.isEnabled(web, { options, now: NOW }))).not.toContain(true);
  });

  test('is asked for by an option of the group', () => {
    const own = { ...web, options: { nodeRepair: 'replace', driftReplacement: 'replace', expireAfter: minutes(30) } };
    for (const cause of CAUSES) {
      expect(cause.isEnabled(own, { options, now: NOW })).toBe(true);
    }
  });

  test('is left to a cloud that repairs nodes itself, if it is their health', () => {
    const asked = { options: { ...options, nodeRepair: 'replace', driftReplacement: 'replace' } as const, now: NOW };
    const repaired = group('web', { nodes: ['n'], cloudActions: ['NodeRepair'] });
    expect([UNHEALTHY.isEnabled(web, asked), UNHEALTHY.isEnabled(repaired, asked)]).toEqual([true, false]);
    expect(DRIFTED.isEnabled(repaired, asked)).toBe(true);
  });

  test('is said in words', () => {
    const asked = { options: { ...options, expireAfter: minutes(30) }, now: NOW };
    expect(UNHEALTHY.find(old, web, asked)).toBe('condition Ready is False since 2026-01-01T11:15:00Z');
    expect(DRIFTED.find(old, web, asked)).toBe('drifted: version 1, not 2');
    expect(EXPIRED.find(old, web, asked)).toMatch(/^expired at 2026-01-01T11:2/);
    expect(EXPIRED.find({ ...old, createdAt: ago(26) }, web, asked)).toBeNull();
    expect(DRIFTED.find(old, group('web', { nodes: ['n'] }), asked)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import type { FailureClass, NodeGroup } from '../../../core/model/node-group.ts';
import type { Backoff } from '../../../core/model/state.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { reportFailedLaunches } from '../../../functions/scale-up/failed-launches.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { clusterRun, testWorld } from '../test-world.ts';

const A = groupName('a');

const backoff = (failure: FailureClass, given: Partial<Backoff> = {}): Backoff => ({
  until: addTime(NOW, minutes(30)),
  duration: minutes(30),
  lastFailure: NOW,
  class: failure,
  ...given,
});

const BROKEN = { a: backoff('Configuration', { lastFailure: epochMs(NOW - 60_000) }) };
type Backoffs = Readonly<Record<string, Backoff>>;

function told(before: Backoffs, after: Backoffs, nodeGroups: readonly NodeGroup[] = []) {
  const world = testWorld();
  reportFailedLaunches(clusterRun(world), before, after, { nodeGroups, now: NOW });
  return { count: world.counts.get('GroupsToCorrect'), lines: world.lines };
}

it('a launch that failed is told once, in the words of the cloud', () => {
  const error = { class: 'OutOfResources', code: 'Capacity', message: 'Try us-east-1d.' } as const;
  const groups = [group('a', { launchFailures: [{ id: instanceId('i-1'), zone: 'us-east-1a', ...error }] })];
  const after = { a: backoff('OutOfResources') };
  const message = 'web: launches of node group a have failed: Try us-east-1d.';
  expect(told({}, after, groups).lines).toMatchObject([{ level: 'info', message, fields: error }]);
  expect(told(after, after, groups).lines).toEqual([]);
});

describe('groups that no waiting mends', () => {
  it.each<{ class: FailureClass; words: string }>([
    { class: 'Configuration', words: 'launch template' },
    { class: 'Authorization', words: 'A role, a service control policy or the key' },
  ])('are an alarm and an error in the log: $class', ({ class: failure, words }) => {
    const { count, lines } = told({}, { a: backoff(failure) });
    expect(count).toBe(1);
    expect(lines).toMatchObject([{ level: 'error', fields: { group: A, class: failure } }]);
    expect(lines[0]!.message).toContain(words);
  });

  it('stay an alarm while they are left alone, but are said once', () => {
    expect(told(BROKEN, BROKEN)).toEqual({ count: 1, lines: [] });
  });

  it('are said again when they fail again', () => {
    const { count, lines } = told(BROKEN, { a: backoff('Configuration') });
    expect([count, lines.length]).toEqual([1, 1]);
  });

  it.each<{ what: string; after: Backoffs }>([
    { what: 'no failure', after: {} },
    { what: 'a time of waiting that is over', after: { a: backoff('Configuration', { until: NOW }) } },
    { what: 'missing capacity, which comes back', after: { a: backoff('OutOfResources') } },
    { what: 'a quota', after: { a: backoff('Quota') } },
  ])('are not those with $what', ({ after }) => {
    expect(told({}, after)).toEqual({ count: 0, lines: [] });
  });
});

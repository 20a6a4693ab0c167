import { describe, expect, it } from 'vitest';
import { groupName } from '../../../core/model/values/names.ts';
import type { FailureClass } from '../../../core/model/node-group.ts';
import type { Backoff } from '../../../core/model/state.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { reportLastingFailures } from '../../../functions/scale-up/lasting-failures.ts';
import { NOW } from '../../scenario-builders.ts';
import { clusterRun, testWorld } from '../test-world.ts';

const A = groupName('a');
const EARLIER = epochMs(NOW - 60_000);

const backoff = (failure: FailureClass, given: Partial<Backoff> = {}): Backoff => ({
  until: addTime(NOW, minutes(30)),
  duration: minutes(30),
  lastFailure: NOW,
  class: failure,
  ...given,
});

function told(before: Readonly<Record<string, Backoff>>, after: Readonly<Record<string, Backoff>>) {
  const world = testWorld();
  reportLastingFailures(clusterRun(world), before, after, NOW);
  return { count: world.counts.get('GroupsToCorrect'), lines: world.lines };
}

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
    const broken = { a: backoff('Configuration', { lastFailure: EARLIER }) };
    expect(told(broken, broken)).toEqual({ count: 1, lines: [] });
  });

  it('are said again when they fail again', () => {
    const { count, lines } = told(
      { a: backoff('Configuration', { lastFailure: EARLIER }) },
      { a: backoff('Configuration') },
    );
    expect([count, lines.length]).toEqual([1, 1]);
  });

  it.each<{ what: string; after: Readonly<Record<string, Backoff>> }>([
    { what: 'no failure', after: {} },
    { what: 'a time of waiting that is over', after: { a: backoff('Configuration', { until: NOW }) } },
    { what: 'missing capacity, which comes back', after: { a: backoff('OutOfResources') } },
    { what: 'a quota', after: { a: backoff('Quota') } },
  ])('are not those with $what', ({ after }) => {
    expect(told({}, after)).toEqual({ count: 0, lines: [] });
  });
});

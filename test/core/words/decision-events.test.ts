import { describe, expect, it } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { decisionEvents } from '../../../core/words/decision-events.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, scenario, times } from '../../scenario-builders.ts';

const waiting = (name: string, cpu: number, namespace = 'default') =>
  pod(name, { namespace, requests: { cpu }, owner: `ReplicaSet/${name.replace(/-\d+$/, '')}` });

const eventsOf = (of: Scenario, version = 7) =>
  [...decisionEvents(of, evaluateScaleUp(of), version)].filter(({ about }) => about.kind === 'Pod');

const textsOf = (of: Scenario) =>
  eventsOf(of).map(({ about, reason, message }) => [about.kind === 'Pod' ? about.name : about.kind, reason, message]);

const small = group('a', { max: 5, node: { cpu: 4, memory: '16Gi' } });
const full = group('full', { max: 0, node: { cpu: 64, memory: '256Gi' } });

describe('the events of a decision', () => {
  it('say of a pod which group grows for it', () => {
    const events = eventsOf(scenario({ groups: [small], pods: [waiting('web-1', 3)] }));
    expect(events).toEqual([
      {
        about: { kind: 'Pod', namespace: 'default', name: 'web-1', uid: pod('web-1').uid },
        type: 'Normal',
        reason: 'TriggeredScaleUp',
        message: 'pod triggered scale-up: [{a 0->1 (max: 5)}]',
        occurrence: 'a 0',
      },
    ]);
  });

  it('are the same for a pod and its group from decision to decision, and others for an attempt five minutes later', () => {
    const occurrenceAt = (age: number, max: number, version: number) => {
      const pods = [{ ...waiting('web-1', 3), createdAt: epochMs(NOW - age) }];
      return eventsOf(scenario({ groups: [group('a', { max })], pods }), version)[0]?.occurrence;
    };
    expect([occurrenceAt(0, 5, 7), occurrenceAt(299_000, 6, 8)]).toEqual(['a 0', 'a 0']);
    expect([occurrenceAt(300_000, 6, 8), occurrenceAt(700_000, 6, 9)]).toEqual(['a 1', 'a 2']);
  });

  it('say of a pod that no group can help how many groups each reason keeps out, the most first', () => {
    const others = times(3, (i) => group(`s-${i}`, { max: 5, node: { cpu: 4, memory: '16Gi' } }));
    expect(textsOf(scenario({ groups: [full, ...others], pods: [waiting('big-1', 48)] }))).toEqual([
      [
        'big-1',
        'NotTriggerScaleUp',
        "pod didn't trigger scale-up: 3 Insufficient cpu, 1 max node group size reached. full: max node group size reached. s-0, s-1, s-2: asks for 48 CPU; a new node has 4. Nearest: full, with a larger maximum size",
      ],
    ]);
  });

  it('give as many details as an event holds, and always the nearest group', () => {
    const wide = times(40, (i) =>
      group(`${'ü'.repeat(60)}-${i}`, { max: 5, node: { cpu: 4 + i / 10, memory: '16Gi' } }),
    );
    const [[, , message = ''] = []] = textsOf(scenario({ groups: wide, pods: [waiting('big-1', 48)] }));
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1_024);
    expect(message).toContain('asks for 48 CPU; a new node has 7.9');
    expect(message).toMatch(/\. Nearest: \S+-39, with a request of at most 7\.9 CPU$/);
  });

  it('say nothing of pods that fit a node on its way, or that cause no scale-up', () => {
    const first = scenario({ groups: [small], pods: [waiting('web-1', 3)] });
    const { state } = evaluateScaleUp(first);
    const grown = { ...small, targetSize: 1 };
    expect(eventsOf({ ...first, nodeGroups: [grown], state })).toEqual([]);
    const delayed = { newPodScaleUpDelay: 600_000 as Scenario['options']['newPodScaleUpDelay'] };
    const young = { ...waiting('young-1', 3), createdAt: NOW };
    expect(eventsOf(scenario({ groups: [small], pods: [young], options: delayed }))).toEqual([]);
  });

  it('read the same from minute to minute while a group backs off', () => {
    const backoff = (until: number) => ({
      [small.name]: { until: until as typeof NOW, duration: 300_000, lastFailure: NOW, class: 'Quota' },
    });
    const at = (until: number) =>
      eventsOf(
        scenario({
          groups: [small],
          pods: [waiting('web-1', 3)],
          state: { backoff: backoff(until) as unknown as Scenario['state']['backoff'] },
        }),
      );
    expect(at(NOW + 60_000)).toMatchObject([
      {
        message:
          "pod didn't trigger scale-up: 1 in backoff after failed scale-up: Quota. a: in backoff after failed scale-up: Quota. Nearest: a, with its growth possible again",
      },
    ]);
    expect(at(NOW + 60_000)).toEqual(at(NOW + 120_000));
  });

  it('begin with one pod of each message, and tell of every pod', () => {
    const pods = [...times(20, (i) => waiting(`a-${i}`, 48)), ...times(20, (i) => waiting(`z-${i}`, 3))];
    const events = eventsOf(scenario({ groups: [group('a', { max: 50 })], pods }));
    expect(events).toHaveLength(40);
    expect(new Set(events.slice(0, 2).map(({ reason }) => reason))).toEqual(
      new Set(['NotTriggerScaleUp', 'TriggeredScaleUp']),
    );
  });

  it('say so when there are as many nodes as there may be', () => {
    const nodes = [node('n1', { cpu: 1, memory: '1Gi' })];
    const options = { maxNodesTotal: 1 };
    expect(eventsOf(scenario({ groups: [small], pods: [waiting('web-1', 3)], nodes, options }))).toMatchObject([
      { reason: 'NotTriggerScaleUp', message: "pod didn't trigger scale-up: max total nodes in cluster reached" },
    ]);
  });

  it('tell of the status before they tell of pods', () => {
    const of = scenario({ groups: [small], pods: [waiting('web-1', 3)] });
    expect([...decisionEvents(of, evaluateScaleUp(of), 7)].map(({ about, reason }) => [about.kind, reason])).toEqual([
      ['Status', 'ScaledUpGroup'],
      ['Pod', 'TriggeredScaleUp'],
    ]);
  });

  it('are those of the same pods whatever their number in other namespaces', () => {
    const pods = [waiting('web-1', 3, 'a'), waiting('web-1', 48, 'b')];
    const events = eventsOf(scenario({ groups: [small], pods }));
    expect(events.map(({ about, reason }) => [about.kind === 'Pod' && about.namespace, reason])).toEqual([
      ['a', 'TriggeredScaleUp'],
      ['b', 'NotTriggerScaleUp'],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Pod } from '../../../core/model/pod.ts';
import type { Controller } from '../../../core/model/workloads.ts';
import { type Amounts, claimVolumes, pod, type PodOptions } from '../../builders.ts';
import { group, scenario } from '../../scenario-builders.ts';

const daemonSet = (name: string, requests: Amounts, extra: PodOptions = {}): Controller => ({
  kind: 'DaemonSet',
  namespace: 'evil',
  name,
  uid: `uid-${name}`,
  replicas: null,
  template: pod(`daemonset-${name}`, { namespace: 'evil', requests, ...extra }),
});

const decide = (controllers: readonly Controller[], ...pods: readonly Pod[]): Decision =>
  evaluate(
    scenario({ groups: [group('a'), group('b', { node: { cpu: 2, memory: '8Gi' } })], objects: { controllers }, pods }),
  );

const toleration = { key: 'k', operator: 'Exists', value: '', effect: '', tolerationSeconds: null };

const victim = (cpu: number, extra: PodOptions = {}): Pod => pod('victim', { requests: { cpu }, ...extra });

const outcome = ({ scaleUp }: Decision): string => scaleUp.pods[0]!.outcome;

describe('a DaemonSet', () => {
  it('that does not fit an empty node takes nothing from it, and is named', () => {
    const decision = decide([daemonSet('d', { cpu: 1_000 })], victim(1));
    expect(outcome(decision)).toBe('Triggered');
    expect(decision.scaleUp.daemonsLeftOut).toEqual([
      {
        daemonSet: 'evil/d',
        group: 'a',
        groups: 2,
        reason: 'its pod does not fit an empty node: Insufficient cpu',
      },
    ]);
  });

  it.each<[string, NonNullable<PodOptions['spec']>, string]>([
    [
      'tolerations',
      { tolerations: Array.from({ length: 300 }, () => toleration) },
      'too many tolerations: more than the 256 that are followed',
    ],
    [
      'text',
      { volumes: claimVolumes('x'.repeat(70_000)) },
      'too long a spec: more than the 65536 characters that are followed',
    ],
  ])('whose pod is not simulated for its %s closes no new node, and is named', (_, spec, reason) => {
    const decision = decide([daemonSet('d', { cpu: '10m' }, { spec })], victim(1));
    expect(outcome(decision)).toBe('Triggered');
    expect(decision.scaleUp.daemonsLeftOut).toMatchObject([{ reason: `its pod is not simulated: ${reason}` }]);
  });

  it('that fits is carried, and nothing is said', () => {
    const decision = decide([daemonSet('d', { cpu: 1 })], victim(3));
    expect(decision.scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 1 }]);
    expect(decision.scaleUp.daemonsLeftOut).toBeUndefined();
    expect(outcome(decide([daemonSet('d', { cpu: 1 })], victim(4)))).toBe('Unschedulable');
  });

  it('gives way to those of higher priority where they do not fit together, of equals to the first by name', () => {
    const sets = [
      daemonSet('b', { cpu: 3 }),
      daemonSet('a', { cpu: 3 }),
      daemonSet('high', { cpu: 1 }, { spec: { priority: 9 } }),
    ];
    const { scaleUp } = decide(sets, victim(1));
    expect(scaleUp.increases).toEqual([{ group: 'b', from: 0, to: 1 }]);
    expect(
      scaleUp.daemonsLeftOut!.map(({ daemonSet: name, group: of, groups, reason }) => [name, of, groups, reason]),
    ).toEqual([
      ['evil/a', 'b', 1, 'its pod does not fit an empty node: Insufficient cpu'],
      ['evil/b', 'b', 1, 'its pod does not fit an empty node: Insufficient cpu'],
      ['evil/b', 'a', 1, 'its pod does not fit beside those that come before it: Insufficient cpu'],
    ]);
  });

  it('of lower priority is no reason to leave a pod without a node that it would preempt it on', () => {
    const decision = decide([daemonSet('d', { cpu: 3.5 })], victim(3, { spec: { priority: 1_000 } }));
    expect(outcome(decision)).toBe('Triggered');
    expect(decision.scaleUp.daemonsLeftOut).toContainEqual({
      daemonSet: 'evil/d',
      group: 'a',
      groups: 1,
      reason: "pod default/victim of priority 1000 fits no new node of any group unless it preempts the DaemonSet's",
    });
  });

  it.each<[string, PodOptions]>([
    ['of the same priority', { spec: { priority: 0 } }],
    ['that does not preempt', { spec: { priority: 1_000, preemptionPolicy: 'Never' } }],
  ])('keeps its room from a pod %s', (_, extra) => {
    expect(outcome(decide([daemonSet('d', { cpu: 3.5 })], victim(3, extra)))).toBe('Unschedulable');
  });

  it('keeps its room where another group does for the pod', () => {
    const { scaleUp } = decide([daemonSet('d', { cpu: 1.5 })], victim(2, { spec: { priority: 1_000 } }));
    expect(scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 1 }]);
    expect(scaleUp.daemonsLeftOut).toBeUndefined();
  });

  it('is told of in few rows, however many there are', () => {
    const sets = Array.from({ length: 2_000 }, (_, i) => daemonSet(`d${i}${'x'.repeat(200)}`, { cpu: 1_000 }));
    const { daemonsLeftOut } = decide(sets, victim(1)).scaleUp;
    expect(daemonsLeftOut).toHaveLength(32);
    expect(JSON.stringify(daemonsLeftOut).length).toBeLessThan(16_000);
  });
});

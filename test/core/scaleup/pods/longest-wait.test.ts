import { describe, expect, it } from 'vitest';
import { longestWait } from '../../../../core/scaleup/pods/longest-wait.ts';
import type { PodOutcomeKind } from '../../../../core/model/decision.ts';
import { podKey } from '../../../../core/model/values/names.ts';
import { epochMs, seconds } from '../../../../core/model/values/time.ts';
import { pod } from '../../../builders.ts';
import { NOW, scenario } from '../../../scenario-builders.ts';

interface Waiting {
  readonly name: string;
  readonly owner: string | null;
  readonly waited: number;
  readonly outcome: PodOutcomeKind;
}

const waitOf = (all: readonly Waiting[]): number | null =>
  longestWait(
    {
      now: NOW,
      objects: {
        ...scenario({}).objects,
        pods: all.map(({ name, owner, waited }) => ({
          ...pod(name),
          controller: owner === null ? null : { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner },
          unscheduled: { reason: 'Unschedulable' as const, since: epochMs(NOW - seconds(waited)) },
        })),
      },
    },
    all.map(({ name, outcome }) => ({ pod: podKey('default', name), outcome })),
  );

describe('the longest wait for a scale-up', () => {
  const old = { name: 'old', owner: 'web', waited: 70 } as const;
  const young = { name: 'young', owner: 'web', waited: 1 } as const;

  it.each<{ name: string; given: readonly Waiting[]; wait: number | null }>([
    { name: 'is none without one', given: [{ ...old, outcome: 'Fits' }], wait: null },
    { name: 'is that of the pod', given: [{ ...old, outcome: 'Triggered' }], wait: 70 },
    {
      name: 'is not that of a pod whose place a younger pod of its controller has taken',
      given: [
        { ...old, outcome: 'Triggered' },
        { ...young, outcome: 'Fits' },
      ],
      wait: 1,
    },
    {
      name: 'is that of the pod where the one that has a place is of another controller',
      given: [
        { ...old, outcome: 'Triggered' },
        { ...young, owner: 'api', outcome: 'Fits' },
      ],
      wait: 70,
    },
    {
      name: 'is that of the pod where pods have no controller',
      given: [
        { ...old, owner: null, outcome: 'Triggered' },
        { ...young, owner: null, outcome: 'Fits' },
      ],
      wait: 70,
    },
    {
      name: 'is that of the first that finds no place',
      given: [
        { ...old, outcome: 'Triggered' },
        { ...young, outcome: 'Fits' },
        { name: 'middle', owner: 'web', waited: 5, outcome: 'Triggered' },
        { name: 'stuck', owner: 'web', waited: 500, outcome: 'Unschedulable' },
      ],
      wait: 5,
    },
  ])('$name', ({ given, wait }) => {
    expect(waitOf(given)).toBe(wait === null ? null : seconds(wait));
  });
});

import { describe, expect, it, test } from 'vitest';
import { isSimplified, workloadSteps } from '../../../cli/backtest/workloads.ts';
import type { PodDisruptionBudget } from '../../../core/model/cluster/workloads.ts';
import { budget as webBudget, pod, type PodOptions } from '../../builders.ts';
import type { HistoryObservation } from '../../../cli/history/observed.ts';
import { minute, periodOf, removal, seenAt } from '../history/minutes.ts';

const of = (owner: string, name: string, given: PodOptions = {}) =>
  pod(name, { owner, node: 'n1', createdAt: minute(-30), startedAt: minute(-29), requests: { cpu: '250m' }, ...given });
const web = (name: string, given: PodOptions = {}) => of('ReplicaSet/web', name, given);

/** Each step in a line, with its time in minutes. */
const stepsOf = async (...observations: readonly HistoryObservation[]): Promise<readonly string[]> =>
  workloadSteps(await periodOf(...observations)).map(({ at, ...step }) => {
    const time = at / 60_000;
    switch (step.kind) {
      case 'deploy':
      case 'job': {
        const { kind, name, pods, runsFor } = step.workload;
        return `${time} ${kind} ${name} ${pods}${runsFor === null ? '' : ` for ${runsFor / 60_000}`}`;
      }
      case 'scale':
        return `${time} ${step.workload} ${step.pods}`;
      case 'delete':
        return `${time} ${step.workload} deleted`;
      case 'capacity':
      case 'interruption':
        return `${time} ${step.kind} ${step.group}`;
    }
  });

describe('a controller that replaces its pods', () => {
  it('grows when a pod was created, and shrinks when one ended', async () => {
    const steps = await stepsOf(
      seenAt(0, { pods: [web('a'), web('b')] }),
      seenAt(10, { pods: [web('a'), web('b'), web('c', { createdAt: minute(4) })] }),
      seenAt(20, { pods: [web('a')] }),
    );
    expect(steps).toEqual(['0 Deployment web 2', '4 default/web 3', '15 default/web 1']);
  });

  it('keeps its size while its pods are replaced', async () => {
    const steps = await stepsOf(
      seenAt(0, { pods: [web('a'), web('b')] }),
      seenAt(10, { pods: [web('c', { createdAt: minute(3) }), web('b')] }),
    );
    expect(steps).toEqual(['0 Deployment web 2']);
  });

  it('begins when its first pod was created, and keeps its name beside another of this name', async () => {
    const steps = await stepsOf(
      seenAt(0, { pods: [web('a')] }),
      seenAt(10, { pods: [web('a'), of('StatefulSet/web', 'web-0', { createdAt: minute(2) })] }),
    );
    expect(steps).toEqual(['0 Deployment web 1', '2 StatefulSet web-x2 1']);
  });
});

describe('a Job', () => {
  it('has each pod run as long as it did, those that ran before for what was left', async () => {
    const late = { createdAt: minute(2), startedAt: minute(3) };
    const steps = await stepsOf(
      seenAt(0, { pods: [of('Job/sum', 'a')] }),
      seenAt(10, { pods: [of('Job/sum', 'b', late), of('Job/sum', 'c', late)] }),
      seenAt(20, {}),
    );
    expect(steps).toEqual(['0 Job sum 1 for 5', '2 Job sum-x2 2 for 12']);
  });

  it('begins an evicted pod again: the creation of the first, and the run of the next', async () => {
    const steps = await stepsOf(
      seenAt(0, { pods: [of('Job/sum', 'a')] }),
      seenAt(10, { pods: [of('Job/sum', 'a')] }, { removals: [removal('n1', 'web', 'a')] }),
      seenAt(12, { pods: [of('Job/sum', 'b', { createdAt: minute(11), startedAt: minute(12) })] }),
      seenAt(32, {}),
    );
    expect(steps).toEqual(['0 Job sum 1 for 10']);
  });

  it('runs on after the period', async () => {
    const steps = await stepsOf(seenAt(0, { pods: [of('Job/sum', 'a')] }), seenAt(10, { pods: [of('Job/sum', 'a')] }));
    expect(steps).toEqual(['0 Job sum 1 for 10080']);
  });
});

test('a pod without a controller is there until it ended, and no DaemonSet is played', async () => {
  const alone = pod('alone', { node: 'n1', createdAt: minute(-1) });
  const steps = await stepsOf(
    seenAt(0, { pods: [alone, of('DaemonSet/agent', 'agent-1')] }),
    seenAt(10, { pods: [of('DaemonSet/agent', 'agent-1')] }),
  );
  expect(steps).toEqual(['0 Pod alone 1', '5 default/alone deleted']);
});

describe('a budget', () => {
  const budget = (desiredHealthy: number, expectedPods: number): PodDisruptionBudget =>
    webBudget({ currentHealthy: expectedPods, desiredHealthy, expectedPods });
  const budgetOf = async (...budgets: readonly PodDisruptionBudget[]) => {
    const observed = budgets.map((one, index) =>
      seenAt(index, { pods: [web('a', { labels: { app: 'web' } })], objects: { podDisruptionBudgets: [one] } }),
    );
    const [step] = workloadSteps(await periodOf(...observed));
    return step;
  };

  it('that always asked for the same number asks for it', async () => {
    expect(await budgetOf(budget(9, 12), budget(9, 20))).toMatchObject({ workload: { minAvailable: 9 } });
  });

  it('that asked for more when there were more pods asks for the percentage', async () => {
    expect(await budgetOf(budget(9, 12), budget(13, 17))).toMatchObject({ workload: { minAvailablePercent: 76 } });
  });
});

test('disks are not simulated, and pods with disks are counted', async () => {
  const disk = { kind: 'claim' as const, name: 'data', claimName: 'data-db-0', readOnly: false };
  const scratch = { kind: 'emptyDir' as const, name: 'tmp', medium: '' };
  const db = of('StatefulSet/db', 'db-0', { spec: { volumes: [disk, scratch] } });
  const [step] = workloadSteps(await periodOf(seenAt(0, { pods: [db] }), seenAt(10, { pods: [db] })));
  expect(step).toMatchObject({ workload: { spec: { volumes: [scratch] } } });
  expect([db, web('a')].map(isSimplified)).toEqual([true, false]);
});

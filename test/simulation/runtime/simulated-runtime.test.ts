import { describe, expect, it } from 'vitest';
import type { Evaluation } from '../../../core/model/decision.ts';
import { groupName } from '../../../core/model/values/names.ts';
import type { Options } from '../../../core/model/options.ts';
import { seconds } from '../../../core/model/values/time.ts';
import type { GroupSummary } from '../../../core/model/cluster-summary.ts';
import { createMemoryDrains } from '../../../providers/memory/drains.ts';
import { createMemoryStore } from '../../../providers/memory/store.ts';
import { type InstanceFate, NO_FAULTS } from '../../../simulation/world-faults.ts';
import { plainSpec } from '../../../simulation/cluster/pod-spec.ts';
import { resources } from '../../builders.ts';
import { agent, deployment, scalingGroup, testWorld } from '../builders.ts';
import { startRuntime } from './start-runtime.ts';

const A = groupName('a');
const MINUTE = 60;
/** Until the scan after this one has been evaluated, with the latencies between. */
const NEXT_SCAN = 62;

/**
 * Outrigger beside a simulated cluster of three nodes of 4 cpu, each with three pods of 0.9 cpu, which has been idle for a
 * while. No webhook is called: what is not seen by a scan is not seen.
 */
async function resting(options: Partial<Options> = {}) {
  let fate: InstanceFate = { kind: 'sound' };
  let minSize = 0;
  const simulated = testWorld([scalingGroup('a', { desiredSize: 3, maxSize: 10 })], {
    daemonSets: [agent],
    faults: { ...NO_FAULTS, fate: () => fate },
  });
  const raised = <G extends GroupSummary>(groups: readonly G[]): readonly G[] =>
    groups.map((group) => ({ ...group, minSize: Math.max(group.minSize, minSize) }));
  const world = {
    ...simulated,
    onFailedScheduling: () => {},
    groups: {
      ...simulated.groups,
      summarize: async (signal?: AbortSignal) => raised(await simulated.groups.summarize(signal)),
      list: async (...given: Parameters<typeof simulated.groups.list>) => raised(await simulated.groups.list(...given)),
    },
  };
  const decisions: { readonly at: number; readonly of: Evaluation }[] = [];
  const store = createMemoryStore();
  const drains = createMemoryDrains();
  const deploy = (changed: Partial<Options> = {}) =>
    startRuntime({
      world,
      options: { ...options, ...changed },
      store,
      drains,
      onDecision: (_scenario, { evaluation }) => decisions.push({ at: world.clock.now(), of: evaluation! }),
    });
  const runtime = deploy();
  world.controllers.apply(deployment('web', 9, { cpu: 0.9 }));
  await world.pass(30 * MINUTE);
  /** Full evaluations in so many seconds from now on. */
  const evaluated = async (seconds: number): Promise<readonly Evaluation[]> => {
    const from = decisions.length;
    await world.pass(seconds);
    return decisions.slice(from).map(({ of }) => of);
  };
  // None looks by itself for five minutes after it has looked: what follows within three is not by chance.
  const recent = (of: Evaluation): boolean =>
    decisions.some((one) => one.of === of && world.clock.now() - one.at < 2 * MINUTE * 1_000);
  for (let second = 0; !(recent('ScaleUp') && recent('ScaleDown')); second += 1) {
    expect(second).toBeLessThan(60 * MINUTE);
    await world.pass(1);
  }
  return {
    ...world,
    evaluated,
    redeploy: (changed: Partial<Options> = {}) => {
      runtime.stop();
      deploy(changed);
    },
    raiseMinimum: (to: number) => {
      minSize = to;
    },
    fromNowOn: (next: InstanceFate) => {
      fate = next;
    },
    desired: () => world.scaling.sizeOf(A)!.target,
  };
}

const BOTH = new Set<Evaluation>(['ScaleDown', 'ScaleUp']);

describe('an idle cluster', () => {
  it('is evaluated in full every five or six minutes', async () => {
    const { evaluated } = await resting();
    const looks = (await evaluated(60 * MINUTE)).toSorted();
    const of = (part: Evaluation): number => looks.filter((look) => look === part).length;
    expect([of('ScaleUp'), of('ScaleDown')].every((count) => count >= 9 && count <= 12)).toBe(true);
  });

  it('is evaluated every minute where idleEvaluationInterval is 0', async () => {
    const { evaluated } = await resting({ idleEvaluationInterval: seconds(0) });
    expect((await evaluated(10 * MINUTE)).length).toBe(20);
  });

  it('does not hide a pod of which no webhook tells', async () => {
    const { controllers, evaluated, desired } = await resting();
    controllers.apply(deployment('more', 1, { cpu: 3 }));
    expect(await evaluated(NEXT_SCAN)).toContain('ScaleUp');
    expect(desired()).toBe(4);
  });

  it('does not hide that the load has fallen', async () => {
    const { controllers, evaluated, desired } = await resting();
    controllers.apply(deployment('web', 3, { cpu: 0.9 }));
    expect(await evaluated(NEXT_SCAN)).toContain('ScaleDown');
    await evaluated(14 * MINUTE);
    expect(desired()).toBeLessThan(3);
  });

  it('hides for six minutes at most what shows in no number: here, that pods are resized', async () => {
    const { api, evaluated, desired } = await resting();
    for (const key of api.pods.keys()) {
      api.updatePod(key, (pod) => ({ ...pod, spec: plainSpec(resources({ cpu: 0.1 })) }));
    }
    expect(await evaluated(NEXT_SCAN)).toEqual([]);
    await evaluated(5 * MINUTE + 10 * MINUTE + 3 * MINUTE);
    expect(desired()).toBeLessThan(3);
  });

  it('does not hide that others change the size of a group', async () => {
    const { scaling, evaluated, desired } = await resting();
    scaling.setDesired(A, 5);
    expect(await evaluated(NEXT_SCAN)).toContain('ScaleUp');
    await evaluated(20 * MINUTE);
    expect(desired()).toBe(3);
  });

  it('does not hide an instance that never registers', async () => {
    const { scaling, evaluated, desired, fromNowOn } = await resting();
    fromNowOn({ kind: 'silent' });
    scaling.setDesired(A, 4);
    const looks = await evaluated(10 * MINUTE);
    // It is watched: every scan of scale-up is a full evaluation until it is given up.
    expect(looks.filter((look) => look === 'ScaleUp').length).toBeGreaterThanOrEqual(9);
    await evaluated(10 * MINUTE);
    expect(desired()).toBe(3);
  });

  it('does not hide that others delete a node', async () => {
    const { api, evaluated } = await resting();
    api.deleteNode([...api.nodes.keys()][0]!);
    expect(new Set(await evaluated(NEXT_SCAN))).toEqual(BOTH);
  });

  it('does not hide that an instance is gone', async () => {
    const { scaling, evaluated } = await resting();
    scaling.terminate(A, scaling.groups()[0]!.instances[0]!.id, false);
    expect(await evaluated(NEXT_SCAN)).toContain('ScaleUp');
  });

  it('does not hide that the minimum of a group was raised', async () => {
    const { evaluated, desired, raiseMinimum } = await resting({ enforceNodeGroupMinSize: true });
    raiseMinimum(5);
    await evaluated(NEXT_SCAN);
    expect(desired()).toBe(5);
  });

  it('is evaluated in full at once by another version, or with other options', async () => {
    const { evaluated, redeploy } = await resting();
    redeploy({ scaleDownUtilizationThreshold: 0.9 });
    expect(new Set(await evaluated(NEXT_SCAN))).toEqual(BOTH);
  });
});

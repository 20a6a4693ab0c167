/**
 * How soon is answered what the README says is answered within tenths of a second, or within seconds: in the virtual time of the
 * simulated cluster, which has the latencies of AWS and no slow host, and away from the scans of the schedule.
 */
import { describe, expect, it } from 'vitest';
import { groupName } from '../../core/model/values/names.ts';
import { deployment, scalingGroup, testWorld } from '../simulation/builders.ts';
import { startRuntime } from '../simulation/runtime/start-runtime.ts';

const BURSTS = 24;

describe('from an unschedulable pod to the size of its group', () => {
  it('is less than a second and a half for each burst, with one evaluation for nearly each', async () => {
    const world = testWorld([scalingGroup('a', { maxSize: 200 })]);
    const decided: number[] = [];
    startRuntime({
      world,
      onDecision: (_, { evaluation, scaleUp }) => {
        if (evaluation === 'ScaleUp' && scaleUp.result === 'ScaledUp') {
          decided.push(world.clock.now());
        }
      },
    });
    await world.pass(5 * 60);
    let pods = 0;
    const reactions: number[] = [];
    for (let burst = 0; burst < BURSTS; burst += 1) {
      // At another second of the minute each time.
      await world.pass(120 + 7 * burst);
      const [waitingBefore, setBefore] = [world.ofKind('PodUnschedulable').length, world.ofKind('SizeSet').length];
      pods += 1 + ((burst * 5) % 9);
      world.controllers.apply(deployment('web', pods, { cpu: 3 }));
      await world.pass(100);
      const [first] = world.ofKind('PodUnschedulable').slice(waitingBefore);
      const set = world
        .ofKind('SizeSet')
        .slice(setBefore)
        .find(({ from, to }) => to > from);
      reactions.push(set!.at - first!.at);
    }
    const sorted = reactions.toSorted((a, b) => a - b);
    expect(sorted[BURSTS / 2]).toBeLessThan(1_000);
    expect(sorted.at(-1)).toBeLessThan(1_500);
    // A pod that the scheduler evaluates after the others takes an evaluation of its own.
    expect(decided.length).toBeLessThanOrEqual(BURSTS + 2);
  });
});

it('a failed launch is answered by its event, within seconds, and not by the scan', async () => {
  const world = testWorld([scalingGroup('a', { available: 0, price: 0.1 }), scalingGroup('b', { price: 0.2 })]);
  startRuntime({ world, options: { expander: ['price'] } });
  await world.pass(5 * 60 + 5);
  world.controllers.apply(deployment('web', 2, { cpu: 3 }));
  await world.pass(50);
  const [failed] = world.ofKind('LaunchFailed');
  const answer = world.ofKind('SizeSet').find(({ group, at }) => group === groupName('b') && at >= failed!.at);
  expect(answer!.at - failed!.at).toBeLessThan(3_000);
});

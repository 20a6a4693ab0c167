import { durationMs, minutes, seconds } from '../../core/model/values/time.ts';
import type { OtherProcess } from '../../simulation/cloud/group-state.ts';
import type { SimulatedAwsWorld } from '../../simulation/world.ts';
import type { FaultSource } from './fault-source.ts';
import { forAWhile } from './membership.ts';
import type { FaultScenario } from './fault-scenario.ts';

const SUSPENDED = 0.012;
const LAUNCH_HOOK = 0.012;
const FOREIGN_HOOK = 0.008;
const PROCESSES: readonly OtherProcess[] = ['Terminate', 'AZRebalance', 'HealthCheck', 'ReplaceUnhealthy'];
/** Not one of Outrigger's. */
const HOOK = 'another-tool-for-long';

/**
 * Other clients change how a group launches and ends its instances, each for a while: processes other than Launch are
 * suspended; launched instances wait for a lifecycle hook, which may end them; instances that are ended wait for one of
 * another tool, for up to half an hour.
 */
export const processTrouble = (
  world: SimulatedAwsWorld,
  times: Pick<FaultScenario, 'faultsUntil'>,
  faults: FaultSource,
): readonly (() => void)[] => {
  const { clock, scaling } = world;
  return [
    forAWhile(world, times, faults, {
      kind: 'process',
      probability: SUSPENDED,
      draw: (chance) => chance.oneOf(PROCESSES),
      words: (process) => `has its process ${process} suspended`,
      set: (group, begins, process) => scaling.setProcess(group, process, begins),
    }),
    forAWhile(world, times, faults, {
      kind: 'launch hook',
      probability: LAUNCH_HOOK,
      draw: (chance) => ({
        ms: chance.oneOf([seconds(20), minutes(1), minutes(4), minutes(12)]),
        result: chance.oneOf(['CONTINUE', 'CONTINUE', 'ABANDON'] as const),
        heartbeats: chance.oneOf([0, 0, 1, 3]),
      }),
      words: ({ ms, result, heartbeats }) =>
        `has a launching lifecycle hook that says ${result} after ${ms} ms and ${heartbeats} heartbeats`,
      set: (group, begins, hook) => scaling.setLaunchHook(group, begins ? hook : null),
    }),
    forAWhile(world, times, faults, {
      kind: 'foreign hook',
      probability: FOREIGN_HOOK,
      draw: (chance) => {
        const wait = chance.oneOf([minutes(2), minutes(10), minutes(30)]);
        return { wait, result: chance.oneOf(['CONTINUE', 'ABANDON'] as const) };
      },
      words: ({ wait }) => `has a terminating lifecycle hook of another tool, which waits for ${wait} ms,`,
      set: (group, begins, { wait, result }) => {
        if (!begins) {
          scaling.removeHook(group, HOOK);
          return;
        }
        const left = Math.max(1_000, times.faultsUntil - clock.now());
        scaling.addHook(group, {
          name: HOOK,
          heartbeatTimeout: durationMs(Math.min(wait, left)),
          defaultResult: result,
        });
      },
    }),
  ];
};

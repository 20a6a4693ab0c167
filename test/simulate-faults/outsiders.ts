import type { GroupName } from '../../core/model/values/names.ts';
import { minutes } from '../../core/model/values/time.ts';
import type { ClusterApiWorld } from '../../providers/simulated/world.ts';
import type { FaultSource } from './fault-source.ts';
import type { FaultScenario } from './scenario.ts';

/** How often another client may come. */
const EVERY_MS = 20_000;
const RESIZED = 0.015;
const PAUSED = 0.02;

/**
 * Other clients of the management cluster: they scale a group, within its bounds, or pause it for a while. Machines that
 * they take are not drained by them.
 */
export function startOutsiders(
  { clock, scaling }: Pick<ClusterApiWorld, 'clock' | 'scaling'>,
  { faultsUntil }: Pick<FaultScenario, 'faultsUntil'>,
  faults: FaultSource,
): void {
  const resize = (): void => {
    const change = faults.strike(
      'outsider',
      RESIZED,
      (chance) => {
        const views = scaling.groups();
        const { group, desired } = views[chance.within({ min: 0, max: views.length - 1 })]!;
        const by = chance.within({ min: -2, max: 2 });
        const to = Math.min(group.maxSize, Math.max(group.minSize, desired + by));
        return to === desired ? null : { group: group.name, to };
      },
      ({ group, to }) => `another client sets ${group} to ${to}`,
    );
    if (change !== null) {
      scaling.scaleElsewhere(change.group, change.to);
    }
  };
  const paused = new Set<GroupName>();
  const pause = (): void => {
    const one = faults.strike(
      'pause',
      PAUSED,
      (chance) => {
        const views = scaling.groups();
        const { name } = views[chance.within({ min: 0, max: views.length - 1 })]!.group;
        const ms = Math.min(faultsUntil - clock.now(), chance.within({ min: 5_000, max: Number(minutes(4)) }));
        return paused.has(name) || ms <= 0 ? null : { name, ms };
      },
      ({ name, ms }) => `${name} is paused for ${ms} ms`,
    );
    if (one !== null) {
      paused.add(one.name);
      scaling.setPaused(one.name, true);
      clock.after(one.ms, () => {
        paused.delete(one.name);
        scaling.setPaused(one.name, false);
      });
    }
  };
  const come = (): void => {
    resize();
    pause();
    if (!faults.stopped()) {
      clock.after(EVERY_MS, come);
    }
  };
  clock.after(EVERY_MS, come);
}

import type { GroupName } from '../../core/model/values/names.ts';
import { type EpochMs, epochMs } from '../../core/model/values/time.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { members, PATIENCE_MS } from './truth.ts';

/** What the cloud has refused a group, whatever Outrigger has made of it. */
export interface Refusals {
  /** When it last refused a launch or a size, or an instance was due that is no node yet; before all time where none was. */
  readonly last: (group: GroupName) => EpochMs;
  /** When it last refused a size for a reason that waiting does not mend. */
  readonly lastLasting: (group: GroupName) => EpochMs;
  /** When it last could not tell or take a size, without refusing it; before all time where it always could. */
  readonly lastError: (group: GroupName) => EpochMs;
}

const NEVER = epochMs(0);

/** Records what the cloud refuses; functions call `groups` in the place of the world's. */
export function recordRefusals({
  groups,
  scaling,
  clock,
  onEvent,
}: Pick<SimulatedWorld, 'groups' | 'scaling' | 'clock' | 'onEvent'>): Refusals & { readonly groups: NodeGroups } {
  const refused = new Map<GroupName, EpochMs>();
  const lasting = new Map<GroupName, EpochMs>();
  const errors = new Map<GroupName, EpochMs>();
  const noteError =
    (name: GroupName) =>
    (error: unknown): never => {
      errors.set(name, clock.now());
      throw error;
    };
  onEvent((event) => {
    if (event.kind === 'LaunchFailed') {
      refused.set(event.group, event.at);
    }
  });
  return {
    last: (name) => {
      const view = scaling.groups().find(({ group }) => group.name === name);
      const isDue = ({ node, launchedAt }: { readonly node: unknown; readonly launchedAt: number }): boolean =>
        node === null && clock.now() - launchedAt > PATIENCE_MS;
      return view !== undefined && members(view).some(isDue) ? clock.now() : (refused.get(name) ?? NEVER);
    },
    lastLasting: (name) => lasting.get(name) ?? NEVER,
    lastError: (name) => errors.get(name) ?? NEVER,
    groups: {
      ...groups,
      readSize: (name, ...how) => groups.readSize(name, ...how).catch(noteError(name)),
      setSize: async (name, ...how) => {
        const outcome = await groups.setSize(name, ...how).catch(noteError(name));
        if (outcome.kind === 'failed') {
          refused.set(name, clock.now());
          if (outcome.class === 'Authorization' || outcome.class === 'Configuration') {
            lasting.set(name, clock.now());
          }
        }
        return outcome;
      },
    },
  };
}

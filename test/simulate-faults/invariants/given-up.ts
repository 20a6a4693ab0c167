import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isToBeReplaced, isToEnd } from '../deadlines.ts';
import type { GroupName, InstanceId, NodeName } from '../../../core/model/values/names.ts';
import type { SimulatedInstance } from '../../../providers/simulated/auto-scaling.ts';
import { lasted, type Spell } from '../spells.ts';
import { members } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/**
 * An instance is given up after 15 minutes, the default of `maxNodeProvisionTime`. Its repair may take another 30, for it is decided
 * anew only when the one before is too old; and each death of a function a minute more, until its wake-up is delivered again.
 * The time of outages does not count, nor that in which another client has paused the group.
 */
const LONGEST = minutes(15 + 30);
const DEATH = minutes(1);
/** What deaths may take of it altogether. */
const MOST_DEATHS = minutes(20);

/**
 * An instance that never becomes a node is ended, unless its group has its minimum; and at the minimum none is, for it
 * would be replaced by one that is no better, unless an option asks for that. One that the cloud ends
 * anyway is replaced at the minimum.
 */
export const givenUp: Invariant = {
  name: 'instances that never register are ended, and not at the minimum',
  watch: (stage, violate) => {
    const { scaling, clock, api } = stage.world;
    const { forceDeleteUnregisteredNodes, forceDeleteFailedNodes } = stage.scenario.options;
    const isAws = stage.scenario.provider === 'aws';
    const mayForce = forceDeleteUnregisteredNodes || forceDeleteFailedNodes;
    let checkAt: EpochMs = clock.now();
    /** When others last changed what a group is to have, or may have. */
    const changedAt = new Map<GroupName, EpochMs>();
    const nodeLostAt = new Map<NodeName, EpochMs>();
    api.watch({ nodeDeleted: ({ name }) => nodeLostAt.set(name, clock.now()) });
    /** Those in whose place a lost mark let another machine go: the size is lowered already when they are ended. */
    const missed = new Set<InstanceId>();
    /** Until when Machines of earlier templates were there, which would have gone in their place. */
    const behindUntil = new Map<InstanceId, EpochMs>();
    const diedSince = (since: number): number => Math.min(MOST_DEATHS, DEATH * stage.strikes.deathsSince(since));
    /** While another client had paused the group. */
    const pauses = new Map<GroupName, readonly Spell[]>();
    const pausedSince = (group: GroupName, since: number): number =>
      lasted(pauses.get(group) ?? [], since, clock.now());
    const ageOf = (group: GroupName, { id, launchedAt, node }: SimulatedInstance): number => {
      const lostAt = node === null ? 0 : (nodeLostAt.get(node) ?? 0);
      const since = Math.max(launchedAt, stage.strikes.last('state'), lostAt, behindUntil.get(id) ?? 0);
      return clock.now() - since - stage.outages.lastedSince(since) - pausedSince(group, since) - diedSince(since);
    };
    return {
      event: (event) => {
        if (event.kind === 'BoundsSetElsewhere' || event.kind === 'SizeSetElsewhere') {
          changedAt.set(event.group, event.at);
        }
        if (event.kind === 'PausedElsewhere') {
          pauses.set(event.group, [
            ...(pauses.get(event.group) ?? []),
            { from: event.at, to: Number.POSITIVE_INFINITY },
          ]);
        }
        if (event.kind === 'ResumedElsewhere') {
          pauses.set(
            event.group,
            (pauses.get(event.group) ?? []).map(({ from, to }) => ({ from, to: Math.min(to, event.at) })),
          );
        }
        if (event.kind === 'TerminationMissed') {
          missed.add(event.instance);
        }
        if (
          event.kind === 'InstanceTerminated' &&
          !event.decrement &&
          !missed.has(event.instance) &&
          !mayForce &&
          !isToEnd(stage, event.instance) &&
          !isToBeReplaced(stage, event.instance)
        ) {
          violate(`${event.instance} of ${event.group} is ended to be replaced, which was not requested`);
        }
      },
      step: () => {
        if (clock.now() < checkAt) {
          return;
        }
        checkAt = (clock.now() + minutes(1)) as EpochMs;
        for (const view of scaling.groups()) {
          const mayShrink =
            view.desired > view.group.minSize && clock.now() - (changedAt.get(view.group.name) ?? 0) > LONGEST;
          const there = members(view);
          const oldest = Math.min(...there.map(versionOf));
          // With the strategy OnDelete a Machine of an earlier template would go in place of one of a later.
          const mayGo = (one: SimulatedInstance): boolean => isAws || versionOf(one) === oldest;
          there.filter((one) => !mayGo(one)).forEach(({ id }) => behindUntil.set(id, clock.now()));
          const old = there.find(
            (one) =>
              (one.node === null || !api.nodes.has(one.node)) && mayGo(one) && ageOf(view.group.name, one) > LONGEST,
          );
          if (mayShrink && old !== undefined) {
            violate(
              `${old.id} of ${view.group.name} has not become a node for ${minutesOf(ageOf(view.group.name, old))} minutes`,
            );
          }
        }
      },
    };
  },
};

const versionOf = ({ version = 1 }: SimulatedInstance): number => version;

const minutesOf = (ms: number): number => Math.round(ms / 60_000);

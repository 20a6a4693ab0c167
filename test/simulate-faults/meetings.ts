import { hasEnded, type StoredDrain } from '../../core/model/drain.ts';
import { isBeingRemoved, isRemovalTaint } from '../../core/model/cluster/removal-taints.ts';
import type { GroupName, InstanceId, NodeName } from '../../core/model/values/names.ts';
import { addTime, minutes } from '../../core/model/values/time.ts';
import type { ApiCall } from '../../simulation/api-call.ts';
import type { ClusterApiWorld, SimulatedAwsWorld } from '../../simulation/world.ts';
import type { FaultSource } from './fault-source.ts';
import type { Stage, Watch } from './invariants/invariant.ts';
import { members } from './truth.ts';

/** After the answer to a change of a size was lost, and after any other thing that is met but rarely. */
const AFTER_RARE = 0.5;
/** While a node is drained. */
const DURING_DRAIN = 0.1;
/** Probability that a function dies at a critical moment, if such moments are rare or frequent. */
const DEATH = { rare: 0.6, often: 0.15 };
/** Until what fails is put off, or given up. */
const AGAIN_AND_AGAIN = 0.9;
const SOON = { min: 200, max: 20_000 };
const SIZE_SET = 'after groups.setSize';
const PAUSE = { min: 5_000, max: 60_000 };

/** Draws faults that follow another fault, or a change by a function, closely enough to collide with the next step. */
export interface Meetings {
  /** The answer to this call has been lost. */
  readonly lost: (call: ApiCall) => void;
  /** Probability that a function dies at a moment of its calls; `null` if death there is not of interest. */
  readonly deathAt: (moment: string) => number | null;
  /** Probability that a call fails; `null` if its failure is not of interest. */
  readonly errorAt: (call: ApiCall) => number | null;
  /** A function has died at this moment. */
  readonly died: (moment: string) => void;
  /** A name for a new node that another one had which is gone, and whose drain goes on; `null`: any. */
  readonly nodeName: (gone: readonly NodeName[]) => NodeName | null;
  readonly start: (stage: Pick<Stage, 'scenario' | 'world' | 'drains' | 'orders'>) => Watch;
}

/**
 * Events that seldom come together by chance. Another client sets back a size whose change was not answered, or takes the taint off a
 * node that is drained. Functions die when they have set a size, and AWS announces the retirement of an instance of the group; when they
 * have claimed the termination of an instance that then registers; and while the Node of a drain has lost the taint or is gone, whose
 * name a new node then has. Drains cannot take taints back for a while. On Cluster API a group is paused between its lower size and the
 * deletion of its Machine.
 */
export function createMeetings(faults: FaultSource): Meetings {
  let stage: Parameters<Meetings['start']>[0] | null = null;
  let last: { readonly group: GroupName; readonly from: number; readonly to: number } | null = null;
  /** Instances that register while they are to be terminated. */
  const registering = new Set<InstanceId>();
  const running = (): readonly StoredDrain['drain'][] =>
    stage?.world.provider === 'aws' ? stage.drains().flatMap(({ drain }) => (hasEnded(drain) ? [] : drain)) : [];
  const hasLostTaint = ({ node: name, phase, terminateAskedAt }: StoredDrain['drain']): boolean => {
    const node = stage!.world.api.nodes.get(name);
    return terminateAskedAt === null && phase !== 'Tainting' && node !== undefined && !isBeingRemoved(node);
  };
  const hasLostNode = ({ node, nodeUid, terminateAskedAt }: StoredDrain['drain']): boolean =>
    terminateAskedAt === null && stage!.world.api.nodes.get(node)?.uid !== nodeUid;
  const soon = (probability: number, what: string, meet: (world: SimulatedAwsWorld) => void): boolean => {
    const { world } = stage!;
    const after =
      world.provider === 'aws'
        ? faults.strike(
            'meeting',
            probability,
            (chance) => chance.within(SOON),
            (ms) => `${ms} ms from now ${what}`,
          )
        : null;
    if (after !== null) {
      world.clock.after(after, () => meet(world as SimulatedAwsWorld));
    }
    return after !== null;
  };
  const takeTaintOff = ({ api }: SimulatedAwsWorld, name: NodeName): void => {
    const node = api.nodes.get(name);
    if (node !== undefined && running().some((drain) => drain.node === name && drain.terminateAskedAt === null)) {
      api.putNode({ ...node, taints: node.taints.filter((taint) => !isRemovalTaint(taint)) });
    }
  };
  /** Before its controllers have deleted the Machine that the lower size is for. */
  const pause = ({ clock, scaling }: ClusterApiWorld, group: GroupName): void => {
    const ms = faults.strike(
      'meeting',
      DURING_DRAIN,
      (chance) => chance.within(PAUSE),
      (length) => `another client pauses ${group} for ${length} ms, which has just been lowered`,
    );
    if (ms !== null) {
      clock.after(1, () => scaling.setPaused(group, true));
      clock.after(ms, () => scaling.setPaused(group, false));
    }
  };
  const isGrownByOne = (): boolean => last !== null && last.to === last.from + 1;
  /** The node with the fewest pods is drained for it at once, though there is time. */
  const retire = ({ api, scaling, clock }: SimulatedAwsWorld, name: GroupName): void => {
    const view = scaling.groups().find(({ group }) => group.name === name);
    const podsOn = (node: NodeName | null): number =>
      [...api.pods.values()].filter(({ nodeName }) => nodeName === node).length;
    const nodes = view === undefined ? [] : members(view).filter(({ node }) => node !== null);
    const instance = nodes.toSorted((a, b) => podsOn(a.node) - podsOn(b.node))[0]?.id;
    const endsAt = addTime(clock.now(), minutes(20));
    if (instance !== undefined && endsAt < stage!.scenario.faultsUntil) {
      const id = `retirement-${instance}`;
      scaling.announce({ id, what: 'ScheduledChange', instances: [instance], time: clock.now(), endsAt });
      clock.at(endsAt, () => scaling.fail(instance));
    }
  };
  return {
    lost: ({ operation }) => {
      const set = last;
      if (/SetDesiredCapacity/.test(operation) && set !== null && stage !== null) {
        soon(AFTER_RARE, `another client sets ${set.group} to ${set.from}, as its answer was lost`, ({ scaling }) =>
          scaling.setElsewhere(set.group, { desired: set.from }),
        );
      }
    },
    deathAt: (moment) => {
      const matters = {
        'after store.claimIntent': () => registering.size > 0,
        'before reader.readNode': () => running().some((drain) => hasLostNode(drain) || hasLostTaint(drain)),
      }[moment];
      return moment === SIZE_SET && isGrownByOne() ? DEATH.often : matters?.() === true ? DEATH.rare : null;
    },
    errorAt: ({ operation }) =>
      operation === 'PatchNode' && running().some(({ phase }) => phase === 'RollingBack') ? AGAIN_AND_AGAIN : null,
    died: (moment) => {
      if (moment === SIZE_SET && isGrownByOne()) {
        soon(1, `AWS announces the retirement of an instance of ${last!.group}`, (world) => retire(world, last!.group));
      }
    },
    nodeName: (gone) => {
      const drains = running().filter(hasLostNode);
      return faults.strike(
        'meeting',
        AFTER_RARE,
        () => drains.find(({ node }) => gone.includes(node))?.node ?? null,
        (name) => `the next node is named ${name}, as one was whose drain goes on`,
      );
    },
    start: (given) => {
      stage = given;
      return {
        event: (event) => {
          if (event.kind === 'SizeSet' && event.to !== event.from && given.world.provider === 'aws') {
            last = event;
          } else if (event.kind === 'InstanceTerminated' && event.decrement && given.world.provider === 'clusterapi') {
            pause(given.world as ClusterApiWorld, event.group);
          } else if (event.kind === 'NodeRegistered' || event.kind === 'InstanceTerminated') {
            registering.delete(event.instance);
          } else if (event.kind === 'NodeTainted' && isRemovalTaint(event.taint)) {
            soon(DURING_DRAIN, `another client takes the taint off ${event.node}`, (world) =>
              takeTaintOff(world, event.node),
            );
          }
        },
        committed: ({ intents }) => {
          for (const instance of intents.flatMap((one) => (one.kind === 'DeleteInstances' ? one.instances : []))) {
            const what = `${instance} registers, which is to be terminated`;
            if (soon(0.9, what, ({ scaling }) => scaling.register(instance))) {
              registering.add(instance);
            }
          }
        },
      };
    },
  };
}

import type { Drain } from '../../../core/model/drain.ts';
import type { GroupName, InstanceId } from '../../../core/model/values/names.ts';
import type { Intent } from '../../../core/model/intent.ts';
import { pendingOf } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/**
 * Every change of a target is one that was decided, and each decided change is made once at most: a size is changed once
 * by the intent that names it, and an instance is taken from a target once by the intent that names it, or by its drain once
 * that has come so far.
 */
export const effectOnce: Invariant = {
  name: 'every intent takes effect at most once',
  // A claim that another host's clock takes to be over is taken twice.
  assumes: ['skew'],
  watch: ({ orders, drains, world }, violate, count) => {
    const effects = new Map<string, number>();
    /**
     * On Cluster API, where a mark and a lower size are two calls: a machine that has gone by itself between them, and that no size has
     * been lowered for.
     */
    const goneMeanwhile = (group: GroupName): InstanceId | null => {
      const { instances = [] } = world.scaling.groups().find((view) => view.group.name === group) ?? {};
      const going = new Set(instances.flatMap(({ id, state }) => (state === 'Deleting' && !effects.has(id) ? id : [])));
      const drain = drains().find(({ drain: one }) => isTerminating(one) && going.has(one.instance))?.drain;
      return world.provider === 'clusterapi' ? (drain?.instance ?? null) : null;
    };
    /** Machines that have stayed where another one has gone: the size is raised again before they go. */
    const missed = new Set<InstanceId>();
    let lostAt = orders.lostAt();
    const note = (id: string): unknown => effects.set(id, (effects.get(id) ?? 0) + 1);
    let ending: InstanceId | null = null;
    return {
      committed: ({ intents }) => {
        // An intent of the same name from before the loss was a different intent.
        intents.forEach(({ id }) => effects.delete(id));
      },
      event: (event) => {
        if (orders.lostAt() !== lostAt) {
          // Versions begin anew, and the names of intents with them.
          lostAt = orders.lostAt();
          effects.clear();
        }
        if (event.kind === 'TerminationUndone' || event.kind === 'ReturnedToWarmPool') {
          effects.delete(event.instance);
          return;
        }
        if (event.kind === 'TerminationMissed') {
          effects.delete(event.instance);
          missed.add(event.instance);
          return;
        }
        if (event.kind === 'SizeSetElsewhere') {
          // Another client has taken it back. As long as it is not known to have been made, it is made again.
          pendingOf(event.group, orders.inHand(event.at))
            .filter((one) => one.kind === 'SetSize' && one.to === event.from && one.from === event.to)
            .forEach(({ id }) => effects.delete(id));
          return;
        }
        if (event.kind === 'GroupDeleted') {
          // A group of the same name may be created, and grow for the same pods.
          pendingOf(event.group, orders.inHand(event.at)).forEach(({ id }) => effects.delete(id));
          return;
        }
        if (event.kind === 'InstanceTerminated' && event.decrement) {
          ending = event.instance;
          return;
        }
        const told = ending;
        ending = null;
        if (event.kind !== 'SizeSet' || event.from === event.to) {
          return;
        }
        count(true);
        const { group, from, to } = event;
        const pending = pendingOf(group, orders.inHand(event.at));
        const back = [...missed].find(
          (id) => pending.some((one) => mayMake(one, to, id)) || drains().some(({ drain: one }) => one.instance === id),
        );
        if (to === from + 1 && back !== undefined) {
          missed.delete(back);
          return;
        }
        const isSet = to !== from - 1 || pending.some((intent) => mayMake(intent, to, null));
        const instance = told ?? (isSet ? null : goneMeanwhile(group));
        const drain = drains().find(({ drain: one }) => one.instance === instance && isTerminating(one))?.drain;
        if (instance !== null && drain !== undefined && to === from - 1) {
          if (effects.has(instance)) {
            violate(`${group} goes from ${from} to ${to}: ${instance} has been taken from it already`);
          }
          if (orders.removalsOf(instance) === 0) {
            violate(`${group} goes from ${from} to ${to}: nobody has ordered the removal of ${instance}`);
          }
          note(instance);
          return;
        }
        const meant = pending.filter((intent) => mayMake(intent, to, instance));
        const intent = meant.find((one) => (effects.get(one.id) ?? 0) < timesOf(one));
        if (intent === undefined) {
          violate(
            meant.length > 0
              ? `${group} goes from ${from} to ${to}: intent ${meant[0]!.id} has been carried out already`
              : `${group} goes from ${from} to ${to}${instance === null ? '' : ` without ${instance}`}, which no open intent ` +
                  `and no drain asks for (open: ${pending.map(({ id }) => id).join(', ') || 'none'})`,
          );
          return;
        }
        note(intent.id);
      },
    };
  },
};

/** Has it come so far that its instance is taken from the target? */
const isTerminating = ({ phase, terminateAskedAt }: Drain): boolean =>
  phase === 'Terminating' && terminateAskedAt !== null;

/** @param instance that is ended with the change; `null`: none, a size is set. */
function mayMake(intent: Intent, to: number, instance: InstanceId | null): boolean {
  return intent.kind === 'SetSize'
    ? instance === null && intent.to === to
    : intent.kind === 'DeleteInstances' && instance !== null && intent.instances.includes(instance);
}

const timesOf = (intent: Intent): number => (intent.kind === 'DeleteInstances' ? intent.instances.length : 1);

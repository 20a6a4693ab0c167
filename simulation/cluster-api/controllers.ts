import { present } from '@outrigger/core/model/values/present.ts';
import { type Chance, NAME_LETTERS } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { Clock } from '../clock.ts';
import { firstToGo } from './deletion-order.ts';
import type { ObjectStore } from './object-store.ts';
import {
  DEPLOYMENT_LABEL,
  newStatus,
  isControlledBy,
  isDeleting,
  isPaused,
  MACHINE_FINALIZER,
  type MachineDeploymentObject,
  type MachineObject,
  type MachineSetObject,
  ownerReferenceTo,
  REVISION,
  revisionOf,
  type ScalableObject,
  SET_LABEL,
} from './objects.ts';

/** From a change of an object to its controller's work on it. */
const RECONCILE: Span = { min: 20, max: 250 };
/** A rollout has no more machines beyond the replicas at a time. */
const MAX_SURGE = 1;

interface ControllerOptions {
  readonly clock: Clock;
  readonly store: ObjectStore;
  readonly chance: Chance;
  /** A MachineSet with surplus machines has deleted this machine. */
  readonly onScaledDown: (machine: MachineObject) => void;
  /** The MachineSet has no more machines than replicas. */
  readonly onSettled: (set: MachineSetObject) => void;
  /** A rollout takes a number of machines from an old MachineSet. */
  readonly onRolledOver: (set: MachineSetObject, machines: number) => void;
}

/** Starts the controllers of MachineDeployments and MachineSets, with the rules of Cluster API's own. */
export function startControllers(options: ControllerOptions): void {
  const { clock, store, chance } = options;
  const due = new Set<string>();
  const reconcileSoon = (object: ScalableObject): void => {
    const { uid } = object.metadata;
    if (due.has(uid)) {
      return;
    }
    due.add(uid);
    clock.after(chance.within(RECONCILE), () => {
      due.delete(uid);
      const current = store.current(object);
      if (current === null || isDeleting(current) || isHeld(store, current)) {
        return;
      }
      if (current.kind === 'MachineDeployment') {
        reconcileDeployment(options, current);
      } else {
        reconcileSet(options, current);
      }
    });
  };
  store.watch((object, before) => {
    const changed = object ?? before!;
    if (changed.kind === 'Cluster') {
      for (const one of [...store.list('MachineDeployment'), ...store.list('MachineSet')]) {
        reconcileSoon(one);
      }
      return;
    }
    if (changed.kind === 'MachineDeployment' || changed.kind === 'MachineSet') {
      reconcileSoon(changed);
    }
    for (const { kind, name } of changed.metadata.ownerReferences ?? []) {
      const owner = store.get(kind as ScalableObject['kind'], changed.metadata.namespace, name);
      if (owner !== null) {
        reconcileSoon(owner);
      }
    }
  });
}

/** No controller touches it: it is paused, or its Cluster is. */
const isHeld = (store: ObjectStore, object: ScalableObject): boolean =>
  isPaused(object) || store.get('Cluster', object.metadata.namespace, object.spec.clusterName)?.spec.paused === true;

export const machinesOf = (store: ObjectStore, set: MachineSetObject): readonly MachineObject[] =>
  store.list('Machine').filter((machine) => isControlledBy(machine, set.metadata.uid));

export const setsOf = (store: ObjectStore, deployment: MachineDeploymentObject): readonly MachineSetObject[] =>
  store.list('MachineSet').filter((set) => isControlledBy(set, deployment.metadata.uid));

const isReady = ({ status }: MachineObject): boolean =>
  status.conditions.some(({ type, status: is }) => type === 'NodeHealthy' && is === 'True');

/**
 * Creates missing machines of a MachineSet, or deletes surplus machines. A machine that is being deleted counts until
 * it is gone.
 */
function reconcileSet(
  { clock, store, chance, onScaledDown, onSettled }: ControllerOptions,
  set: MachineSetObject,
): void {
  const machines = machinesOf(store, set);
  const surplus = machines.length - set.spec.replicas;
  for (let n = surplus; n < 0; n += 1) {
    createMachine(store, set, `${set.metadata.name}-${chance.text(5, NAME_LETTERS)}`);
  }
  for (const machine of firstToGo(machines, surplus, { order: set.spec.deletion?.order, now: clock.now() })) {
    if (!isDeleting(machine)) {
      onScaledDown(machine);
      store.remove(machine);
    }
  }
  if (surplus <= 0) {
    onSettled(set);
  }
  const there = machinesOf(store, set);
  store.update<'MachineSet'>(set, (current) => ({
    ...current,
    status: {
      ...current.status,
      replicas: there.length,
      readyReplicas: there.filter(isReady).length,
      upToDateReplicas: there.length,
      observedGeneration: current.metadata.generation,
    },
  }));
}

export function createMachine(store: ObjectStore, set: MachineSetObject, name: string): MachineObject {
  const { spec, metadata } = set.spec.template;
  return store.create<'Machine'>(
    'Machine',
    {
      name,
      namespace: set.metadata.namespace,
      labels: {
        ...metadata.labels,
        [SET_LABEL]: set.metadata.name,
        ...present({ [DEPLOYMENT_LABEL]: set.metadata.labels[DEPLOYMENT_LABEL] }),
      },
      ownerReferences: [ownerReferenceTo(set)],
      finalizers: [MACHINE_FINALIZER],
    },
    {
      spec: {
        clusterName: spec.clusterName,
        failureDomain: spec.failureDomain,
        infrastructureRef: {
          ...spec.infrastructureRef,
          kind: spec.infrastructureRef.kind.replace(/Template$/, ''),
          name,
        },
      },
      status: { phase: 'Pending', conditions: [] },
    },
  );
}

/** The MachineSet with the present template has all replicas, or is given them one by one while old ones lose theirs. */
function reconcileDeployment(options: ControllerOptions, deployment: MachineDeploymentObject): void {
  const { store, chance } = options;
  const template = JSON.stringify(deployment.spec.template);
  const isCurrent = (set: MachineSetObject): boolean => JSON.stringify(set.spec.template) === template;
  if (!setsOf(store, deployment).some(isCurrent)) {
    const latest = Math.max(0, ...setsOf(store, deployment).map(revisionOf));
    createSet(store, deployment, {
      name: `${deployment.metadata.name}-${chance.text(5, NAME_LETTERS)}`,
      replicas: 0,
      revision: latest + 1,
    });
  }
  const sets = setsOf(store, deployment);
  const current = sets.find(isCurrent)!;
  const old = sets.filter((set) => set !== current && set.spec.replicas > 0);
  if (old.length === 0) {
    resize(store, current, deployment.spec.replicas);
  } else if (deployment.spec.rollout?.strategy.type === 'OnDelete') {
    fillUp(store, deployment, current, old);
  } else {
    rollOver(options, deployment, current, old);
  }
  const machines = (of: readonly MachineSetObject[]): readonly MachineObject[] =>
    of.flatMap((set) => machinesOf(store, set));
  store.update<'MachineDeployment'>(deployment, (now) => ({
    ...now,
    status: {
      ...now.status,
      replicas: machines(sets).length,
      readyReplicas: machines(sets).filter(isReady).length,
      upToDateReplicas: machines([current]).length,
      observedGeneration: now.metadata.generation,
    },
  }));
}

/** A step of a rollout: a new machine first, and an old machine goes once `replicas` machines are ready. */
function rollOver(
  { store, onRolledOver }: ControllerOptions,
  { spec: { replicas } }: MachineDeploymentObject,
  current: MachineSetObject,
  old: readonly MachineSetObject[],
): void {
  const total = [current, ...old].reduce((sum, set) => sum + set.spec.replicas, 0);
  const more = Math.min(replicas - current.spec.replicas, replicas + MAX_SURGE - total);
  if (more > 0) {
    resize(store, current, current.spec.replicas + more);
  }
  // By the replicas, and not by the machines: those of a step before may still be there.
  const pending = current.spec.replicas - machinesOf(store, current).filter(isReady).length;
  let less = total - replicas - pending;
  for (const set of old) {
    const fewer = Math.min(set.spec.replicas, Math.max(0, less));
    if (fewer > 0) {
      less -= fewer;
      onRolledOver(set, fewer);
      resize(store, set, set.spec.replicas - fewer);
    }
  }
}

/**
 * With the strategy `OnDelete`: the current MachineSet gets what is missing, and those of earlier templates lose what is too
 * many, the oldest first (`planOnDelete` of core/reconcilers/machinedeployment). A machine that is gone comes again of its
 * MachineSet here; Cluster API may make one of the current template.
 */
function fillUp(
  store: ObjectStore,
  { spec: { replicas } }: MachineDeploymentObject,
  current: MachineSetObject,
  old: readonly MachineSetObject[],
): void {
  const total = [current, ...old].reduce((sum, set) => sum + set.spec.replicas, 0);
  if (total < replicas) {
    resize(store, current, current.spec.replicas + replicas - total);
  }
  let less = Math.max(0, total - replicas);
  const oldest = old.toSorted(
    (a, b) => Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp),
  );
  for (const set of oldest) {
    const fewer = Math.min(set.spec.replicas, less);
    less -= fewer;
    if (fewer > 0) {
      resize(store, set, set.spec.replicas - fewer);
    }
  }
}

const resize = (store: ObjectStore, set: MachineSetObject, replicas: number): void =>
  store.update<'MachineSet'>(set, (now) => ({ ...now, spec: { ...now.spec, replicas } }));

interface NewSet {
  readonly name: string;
  readonly replicas: number;
  readonly revision: number;
}

export function createSet(
  store: ObjectStore,
  deployment: MachineDeploymentObject,
  { name, replicas, revision }: NewSet,
): MachineSetObject {
  const { namespace } = deployment.metadata;
  const { spec } = deployment;
  const selector = { matchLabels: { ...spec.selector.matchLabels, [SET_LABEL]: name } };
  return store.create<'MachineSet'>(
    'MachineSet',
    {
      name,
      namespace,
      labels: { ...deployment.metadata.labels, [DEPLOYMENT_LABEL]: deployment.metadata.name },
      // A MachineSet has the annotations of its MachineDeployment, including the bounds.
      annotations: { ...deployment.metadata.annotations, [REVISION]: String(revision) },
      ownerReferences: [ownerReferenceTo(deployment)],
    },
    {
      spec: { ...spec, replicas, selector },
      status: newStatus(selector),
    },
  );
}

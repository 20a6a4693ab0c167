import { firstItem, itemAt } from '../../model/values/existing.ts';
import { controllerByUid } from '../../model/cluster/controller-lists.ts';
import { controllerKeyOf, gangOf, isFinished, type Pod } from '../../model/cluster/pod.ts';
import type { Controller } from '../../model/cluster/workloads.ts';
import type { Scenario } from '../../model/scenario.ts';
import { REPLICATING_KINDS, type ReplicatingKind } from '../../model/headroom.ts';
import type { Options } from '../../model/options.ts';
import { fairShares } from '../../model/values/fair-shares.ts';
import { byName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { type EpochMs, minutes } from '../../model/values/time.ts';
import { type QuotaLedger, unnamedText } from '../../headroom/quota-ledger.ts';
import { classesOf, newestPod, virtualPod } from '../../headroom/virtual-pod.ts';
import type { HeadroomRequest } from '../../headroom/virtual-pods.ts';
import { waitOf } from '../../model/pod-wait.ts';

/** A controller that has created no pod for this long is not about to create the pods that it lacks. */
const CREATES_WITHIN = minutes(5);

type ReplicatingController = Controller & { readonly kind: ReplicatingKind };

const isReplicating = (of: Controller | null): of is ReplicatingController =>
  (REPLICATING_KINDS as readonly (string | undefined)[]).includes(of?.kind);

/** A controller, the newest of its pods, and the number of pods that it is still to create. */
interface ShortController {
  readonly controller: ReplicatingController;
  readonly newest: Pod;
  readonly count: number;
}

/**
 * The pods that controllers are about to create, as virtual pods like the newest pod of each: a large Deployment gets its nodes at
 * once, and not as its pods appear. Within the ResourceQuotas that the API server would hold the pods to.
 *
 * Follows Cluster Autoscaler's `processors/podinjection`, which counts the pods that a quota refuses, and those of a controller
 * that creates none any more.
 *
 * @param pods of the cluster, and pods that were evicted and are about to be created again
 */
export function missingReplicas(
  { objects: { controllers, priorityClasses }, options, now }: Scenario,
  pods: readonly Pod[],
  quotas: QuotaLedger,
): readonly HeadroomRequest[] {
  if (!options.enableProactiveScaleup) {
    return [];
  }
  const creating = shortControllers(controllers, pods)
    .filter(({ newest }) => newest.createdAt !== null && newest.createdAt >= now - CREATES_WITHIN)
    .filter(({ newest }) => wantsNodes(newest, options, now));
  const granted = creating.map((short) => {
    const demand = { ...demandOf(short), priorityClasses: classesOf(short.newest, priorityClasses) };
    const grant = quotas.grantFor(demand);
    quotas.use(demand, grant.count);
    return { short, demand, grant };
  });
  const shares = fairShares(
    granted.map(({ demand: { namespace }, grant: { count } }) => ({ namespace, count })),
    options.podInjectionLimit,
  );
  return granted.map(({ short, demand, grant }, i) => {
    const { kind, namespace, name } = short.controller;
    return {
      source: kind,
      name: `${namespace}/${name}`,
      pod: demand.pod,
      count: itemAt(shares, i),
      limit: grant.quotas.length === 0 ? null : { from: short.count, to: grant.count, quotas: grant.quotas },
      problem: problemOf(itemAt(shares, i), grant, options.podInjectionLimit),
    };
  });
}

function problemOf(share: number, grant: ReturnType<QuotaLedger['grantFor']>, limit: number): string | null {
  if (grant.unnamed.length > 0) {
    return unnamedText(grant);
  }
  if (share < grant.count) {
    return `limited from ${grant.count} to ${share}: podInjectionLimit is ${limit}`;
  }
  return null;
}

/** Controllers with fewer pods than they want, and at least one, by namespace, kind and name. */
function shortControllers(controllers: readonly Controller[], pods: readonly Pod[]): readonly ShortController[] {
  const living = Map.groupBy(
    pods.filter((pod) => pod.deletedAt === null && !isFinished(pod)),
    controllerKeyOf,
  );
  return [...living]
    .flatMap(([key, own]): readonly ShortController[] => {
      const controller = mapOptional(key, () => controllerByUid(controllers, firstItem(own)));
      const count = (controller?.replicas ?? 0) - own.length;
      const newest = newestPod(own);
      return isReplicating(controller) && count > 0 && newest !== null ? [{ controller, newest, count }] : [];
    })
    .toSorted((a, b) => byName(sortKey(a.controller), sortKey(b.controller)));
}

const sortKey = ({ namespace, kind, name }: Controller): string => `${namespace}/${kind}/${name}`;

/** Gates are released, and gangs are planned, by the pods that exist. */
const wantsNodes = (pod: Pod, options: Options, now: EpochMs): boolean =>
  pod.spec.schedulingGates.length === 0 &&
  gangOf(pod) === null &&
  waitOf({ ...pod, createdAt: null }, options, now).kind === 'wants';

const demandOf = ({ controller, newest, count }: ShortController) => ({
  namespace: newest.namespace,
  pod: virtualPod({ ...controller, name: `replica-of-${controller.name}` }, newest),
  count,
});

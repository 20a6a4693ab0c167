import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { type Result, err, ok, okValue } from '@outrigger/core/model/values/result.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { AwsClients } from '../api/clients.ts';
import { foundFor } from '../api/lookup.ts';
import { type Launches, type TypeLaunch, createLaunchSource } from '../launches/launches.ts';
import { createInstanceTypes, type InstanceType } from '../launches/instance-types.ts';
import { type ManagedNodeGroup, createManagedNodeGroups, managedKeyOf } from '../groups/managed-node-groups.ts';
import { evaluateExpression, expressionVariables } from '../launches/max-pods-expression.ts';
import { type GroupNodes, type Shapes, needsLaunches, shapesOf, queriesOf } from './node-shapes.ts';
import { clusterLabels, doubtful, observedNode, type Sightings, sightingsOf } from './observed.ts';
import type { ScalingGroup } from '../groups/scaling-group.ts';
import { believed } from './stated-amounts.ts';
import type { HourlyWarn } from '../../node-groups/warnings.ts';

export interface GroupShapes {
  readonly shapes: Result<Shapes, string>;
  /** The group's launches; `null` where launches were not read. */
  readonly launches: Result<Launches, string> | null;
}

/** The shapes of groups' next nodes. */
interface ShapeSource {
  /**
   * Returns the shapes of every group without a `problem`.
   *
   * @param allLaunches read the launches of each group, also where live nodes show every shape.
   */
  get(
    groups: readonly GroupNodes[],
    allLaunches: boolean,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<ScalingGroup, GroupShapes>>;
}

/** Combines live nodes and AWS' descriptions; calls AWS for what live nodes do not show, and for what their instance types can have. */
export function createShapeSource(
  clients: AwsClients,
  region: string,
  now: () => EpochMs,
  warn: HourlyWarn,
): ShapeSource {
  const instanceTypes = createInstanceTypes(clients.ec2, now);
  const launchSource = createLaunchSource(clients, now, instanceTypes);
  const managedNodeGroups = createManagedNodeGroups(clients.eks, now);

  return {
    async get(all, allLaunches, signal) {
      const usable = all.filter(({ group }) => group.problem === null);
      const [launches, managed, types] = await Promise.all([
        launchSource.resolve(
          usable.filter((one) => allLaunches || needsLaunches(one)).map(({ group }) => group),
          signal,
        ),
        managedNodeGroups.get(
          usable.filter(({ sample }) => sample === null).flatMap(({ group }) => managedKeyOf(group) ?? []),
          signal,
        ),
        instanceTypes.get(
          usable.flatMap(({ live }) => [...live.keys()].filter((name) => name !== '')),
          signal,
        ),
      ]);
      // Without EKS' description the labels and taints of the group's tags apply.
      const managedOf = (group: ScalingGroup): ManagedNodeGroup | null => foundFor(managed, managedKeyOf(group));

      const sightings = sightingsOf(usable);
      const typeOf = (name: string): InstanceType | null => foundFor(types, name);
      const inDoubt = usable.flatMap((one) => {
        if (!needsLaunches(one)) {
          return isDoubted(one, typeOf) ? one.group : [];
        }
        const found = getExisting(launches, one.group);
        return found.ok ? doubtfulFor(one, managedOf(one.group), found.value, sightings) : [];
      });
      const others = await launchSource.resolve(
        [...new Set(inDoubt)].filter((group) => !launches.has(group)),
        signal,
      );
      const launchOf = (group: ScalingGroup, name: string): TypeLaunch | null =>
        okValue(launches.get(group) ?? others.get(group))?.types.find(({ type }) => type.name === name) ?? null;

      const cluster = clusterLabels(usable.flatMap(({ nodes }) => nodes));
      return new Map(
        usable.map((one) => {
          const { group } = one;
          const own = launches.get(group) ?? null;
          const shapes = attempt(group, () =>
            shapesOf(one, {
              region,
              launches: needsLaunches(one) ? own : null,
              managed: managedOf(group),
              cluster,
              typeOf: (name) => launchOf(group, name)?.type ?? typeOf(name),
              observe: (query) => observedNode(query, sightings, (other) => launchOf(other, query.launch.type.name)),
            }),
          );
          report(group, shapes, own, warn);
          return [group, { shapes, launches: own }] as const;
        }),
      );
    },
  };
}

/** Do nodes of the group state amounts that their types do not have? The group's launch may disable cores or threads. */
const isDoubted = ({ live }: GroupNodes, typeOf: (name: string) => InstanceType | null): boolean =>
  [...live].some(([name, sample]) => {
    const type = typeOf(name);
    return type !== null && believed(sample, type).refused.length > 0;
  });

/** The groups whose launches are needed for this group; none where the queries fail. */
function doubtfulFor(
  one: GroupNodes,
  managed: ManagedNodeGroup | null,
  launches: Launches,
  sightings: Sightings,
): readonly ScalingGroup[] {
  const found = attempt(one.group, () =>
    ok(queriesOf(one, managed, launches).flatMap((query) => doubtful(query, sightings))),
  );
  return okValue(found) ?? [];
}

/** A result for one group: an exception is a problem of the group alone. */
function attempt<T>({ name }: ScalingGroup, work: () => Result<T, string>): Result<T, string> {
  try {
    return work();
  } catch (error) {
    return err(`what group ${name} launches cannot be worked out: ${clip(messageOf(error))}`);
  }
}

function hasUnreadExpression({ type, data }: TypeLaunch): boolean {
  const { podLimit } = data.userData;
  return podLimit.kind === 'expression' && evaluateExpression(podLimit.expression, expressionVariables(type)) === null;
}

/** Warns about problems that do not keep a group from growing. */
function report(
  { name, zones }: ScalingGroup,
  shapes: Result<Shapes, string>,
  launches: Result<Launches, string> | null,
  warn: HourlyWarn,
): void {
  if (!shapes.ok) {
    return;
  }
  const [problem, ...more] = launches?.ok === false ? [launches.error] : (launches?.value.problems ?? []);
  if (problem !== undefined) {
    const others = more.length === 0 ? '' : `, and ${more.length} more problems`;
    warn(
      `launches: ${name}`,
      `Auto Scaling group ${name}: some of its instance types could not be read: ${problem}${others}`,
    );
  }
  const unread = okValue(launches)?.types.find(hasUnreadExpression);
  if (unread !== undefined) {
    warn(
      `max pods: ${name}`,
      `Auto Scaling group ${name}: the maxPodsExpression of its user data cannot be evaluated for ${unread.type.name}; ` +
        'the limit of pods is estimated by the addresses of the type until a node reports its own',
    );
  }
  const { templates, typesLeftOut, misstated } = shapes.value;
  if (misstated.length > 0) {
    warn(
      `amounts: ${name}`,
      `Auto Scaling group ${name}: amounts that live nodes state are not those of their instance types, which are used instead: ${misstated.join('; ')}`,
    );
  }
  if (typesLeftOut > 0) {
    const kept = templates.length / Math.max(1, zones.length);
    warn(
      `shapes: ${name}`,
      `Auto Scaling group ${name}: only the ${kept} smallest of its ${kept + typesLeftOut} instance types are evaluated; ` +
        'list fewer types, or attributes that match fewer',
    );
  }
}

import { type Result, err } from '../../../core/model/values/result.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import type { AwsClients } from '../api/clients.ts';
import { type Launches, type TypeLaunch, createLaunchSource } from '../launches/launches.ts';
import { type ManagedNodeGroup, createManagedNodeGroups, managedKey } from '../groups/managed-node-groups.ts';
import { evaluateExpression, expressionVariables } from '../launches/max-pods-expression.ts';
import { type Look, type Shapes, needsLaunches, shapesOf, soughtBy } from './node-shapes.ts';
import { clusterLabels, doubtful, observedNode, sightingsOf } from './observed.ts';
import type { ScalingGroup } from '../groups/scaling-group.ts';
import type { HourlyWarn } from '../api/warnings.ts';

export interface Shaped {
  readonly shapes: Result<Shapes, string>;
  /** What the group starts; `null` where nobody asked. */
  readonly launches: Result<Launches, string> | null;
}

/** What the next nodes of groups may be. */
export interface ShapeSource {
  /**
   * Answers for every group that has no problem of its own.
   *
   * @param askAll ask what each group starts, also where live nodes show all that shapes need.
   */
  get(looks: readonly Look[], askAll: boolean, signal?: AbortSignal): Promise<ReadonlyMap<ScalingGroup, Shaped>>;
}

/** Puts together what live nodes show and what AWS knows; asks AWS only for what live nodes do not show. */
export function createShapeSource(
  clients: AwsClients,
  region: string,
  now: () => EpochMs,
  warn: HourlyWarn,
): ShapeSource {
  const launchSource = createLaunchSource(clients, now);
  const managedNodeGroups = createManagedNodeGroups(clients.eks, now);

  return {
    async get(all, askAll, signal) {
      const looks = all.filter(({ group }) => group.problem === null);
      const [launches, managed] = await Promise.all([
        launchSource.resolve(
          looks.filter((look) => askAll || needsLaunches(look)).map(({ group }) => group),
          signal,
        ),
        managedNodeGroups.get(
          looks.filter(({ exemplary }) => exemplary === null).flatMap(({ group }) => keyOf(group)),
          signal,
        ),
      ]);
      const managedOf = (group: ScalingGroup): ManagedNodeGroup | null => {
        const found = keyOf(group).map((key) => managed.get(key))[0];
        // Without EKS' word the group's tags must do, as they did before EKS could be asked.
        return found?.ok === true ? found.value : null;
      };

      const sightings = sightingsOf(looks);
      const inDoubt = looks.flatMap((look) => {
        const found = needsLaunches(look) ? launches.get(look.group)! : null;
        return found?.ok === true
          ? soughtBy(look, managedOf(look.group), found.value).flatMap((sought) => doubtful(sought, sightings))
          : [];
      });
      const others = await launchSource.resolve(
        [...new Set(inDoubt)].filter((group) => !launches.has(group)),
        signal,
      );
      const launchesOf = (group: ScalingGroup): Result<Launches, string> =>
        launches.get(group) ?? others.get(group) ?? err('not asked for');

      const cluster = clusterLabels(looks.flatMap(({ nodes }) => nodes));
      return new Map(
        looks.map((look) => {
          const { group } = look;
          const own = launches.get(group) ?? null;
          const shapes = shapesOf(look, {
            region,
            launches: needsLaunches(look) ? own : null,
            managed: managedOf(group),
            cluster,
            observe: (sought) =>
              observedNode(sought, sightings, (other) => {
                const known = launchesOf(other);
                const name = sought.launch.type.name;
                return known.ok ? (known.value.types.find(({ type }) => type.name === name) ?? null) : null;
              }),
          });
          report(group, shapes, own, warn);
          return [group, { shapes, launches: own }] as const;
        }),
      );
    },
  };
}

const keyOf = ({ parsedTags: { managedNodeGroup } }: ScalingGroup): readonly string[] =>
  managedNodeGroup === null ? [] : [managedKey(managedNodeGroup)];

function hasUnreadExpression({ type, data }: TypeLaunch): boolean {
  const { podLimit } = data.userData;
  return podLimit.kind === 'expression' && evaluateExpression(podLimit.expression, expressionVariables(type)) === null;
}

/** What does not keep a group from growing, and should be known all the same. */
function report(
  { name, zones }: ScalingGroup,
  shapes: Result<Shapes, string>,
  launches: Result<Launches, string> | null,
  warn: HourlyWarn,
): void {
  if (!shapes.ok) {
    return;
  }
  const [problem, ...more] = launches === null ? [] : launches.ok ? launches.value.problems : [launches.error];
  if (problem !== undefined) {
    const others = more.length === 0 ? '' : `, and ${more.length} more problems`;
    warn(`launches: ${name}`, `Auto Scaling group ${name}: not all that it may start is known: ${problem}${others}`);
  }
  const unread = launches?.ok === true ? launches.value.types.find(hasUnreadExpression) : undefined;
  if (unread !== undefined) {
    warn(
      `max pods: ${name}`,
      `Auto Scaling group ${name}: the maxPodsExpression of its user data cannot be evaluated for ${unread.type.name}; ` +
        'nodes are taken to hold as many pods as the type has addresses for, until one is there to be seen',
    );
  }
  const { templates, typesLeftOut } = shapes.value;
  if (typesLeftOut > 0) {
    const kept = templates.length / Math.max(1, zones.length);
    warn(
      `shapes: ${name}`,
      `Auto Scaling group ${name}: decisions look at the ${kept} smallest of the ${kept + typesLeftOut} instance types ` +
        'that it may start; name fewer, or attributes that match fewer',
    );
  }
}

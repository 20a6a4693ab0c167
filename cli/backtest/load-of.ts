import { type Node, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { durationMs, type EpochMs } from '@outrigger/core/model/values/time.ts';
import type { DaemonSet } from '@outrigger/simulation/cluster/workload.ts';
import type { DemoLoad, LoadStep } from '@outrigger/simulation/load/load.ts';
import { simulatedGroups } from './groups.ts';
import { endOf, isAbout, isInterruption } from '../history/observe.ts';
import type { ObservedPeriod } from '../history/observed.ts';
import { workloadSteps } from './workloads.ts';

/** A period as a load, and what the load stands for. */
export interface HistoryLoad {
  readonly load: DemoLoad;
  readonly leftOut: readonly GroupName[];
  readonly fixed: ReadonlySet<GroupName>;
  readonly interruptions: number;
}

/** A load whose node groups count, but for the fixed ones. */
export type PlayedLoad = Pick<HistoryLoad, 'load' | 'fixed'>;

/** The load of a period, with the options of its last decision. */
export function loadOf(period: ObservedPeriod, name: string, seed: number): HistoryLoad {
  const { groups, leftOut, fixed } = simulatedGroups(period);
  const names = new Set(groups.map((group) => group.name));
  const until = durationMs(period.until - period.since);
  const interruptions = interruptionSteps(period, names);
  const steps = [...workloadSteps(period), ...interruptions, ...capacitySteps(period, names)];
  return {
    leftOut,
    fixed,
    interruptions: interruptions.length,
    load: {
      name,
      seed,
      options: period.last.options,
      start: period.since,
      daemonSets: daemonSetsOf(period),
      groups,
      commitments: period.last.commitments,
      steps: steps.filter(({ at }) => at < until).toSorted((a, b) => a.at - b.at),
      until,
    },
  };
}

const daemonSetsOf = ({ daemonSets }: ObservedPeriod): readonly DaemonSet[] =>
  daemonSets.flatMap(
    ({ namespace, name, template }) =>
      mapOptional(template, ({ spec }) => ({ namespace, name, spec: { ...spec, volumes: [], resourceClaims: [] } })) ??
      [],
  );

/** Instances that the cloud has taken back: announced by a notice, or gone without a removal. */
function interruptionSteps(period: ObservedPeriod, names: ReadonlySet<GroupName>): readonly LoadStep[] {
  const { since, nodes, notices, hasDecisions } = period;
  const steps: LoadStep[] = [];
  const interrupt = (group: GroupName, node: Node | undefined, from: EpochMs, lasts: number): void => {
    if (from >= since && names.has(group)) {
      const zone = node?.labels[ZONE_LABEL] ?? null;
      steps.push({ at: durationMs(from - since), kind: 'interruption', group, zone, notice: durationMs(lasts) });
    }
  };
  for (const notice of notices.filter(isInterruption)) {
    const node = nodes.find((one) => isAbout(notice, one.node))?.node;
    interrupt(notice.group, node, notice.receivedAt, Math.max(0, endOf(notice) - notice.receivedAt));
  }
  for (const { group, node, end, ending } of nodes) {
    // Without all decisions, a removal may be unknown.
    if (hasDecisions && ending === 'unknown' && group !== null && end !== null) {
      interrupt(group, node, end, 0);
    }
  }
  return steps;
}

const capacitySteps = ({ since, available }: ObservedPeriod, names: ReadonlySet<GroupName>): readonly LoadStep[] =>
  available
    .filter(({ group }) => names.has(group))
    .map(({ at, ...capacity }) => ({ at: durationMs(at - since), kind: 'capacity', ...capacity }));

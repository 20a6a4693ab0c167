import { ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { durationMs, type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
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
  daemonSets.flatMap(({ namespace, name, template }) =>
    template === null ? [] : [{ namespace, name, spec: { ...template.spec, volumes: [], resourceClaims: [] } }],
  );

/** Instances that the cloud has taken back: announced by a notice, or gone without a removal. */
function interruptionSteps(period: ObservedPeriod, names: ReadonlySet<GroupName>): readonly LoadStep[] {
  const { since, nodes, notices, hasDecisions } = period;
  const step = (group: GroupName, zone: string | null, from: EpochMs, notice: number): LoadStep[] =>
    from < since || !names.has(group)
      ? []
      : [{ at: durationMs(from - since), kind: 'interruption', group, zone, notice: durationMs(notice) }];
  return [
    ...notices.filter(isInterruption).flatMap((notice) => {
      const node = nodes.find((one) => isAbout(notice, one.node))?.node;
      const lasts = Math.max(minutes(0), endOf(notice) - notice.receivedAt);
      return step(notice.group, node?.labels[ZONE_LABEL] ?? null, notice.receivedAt, lasts);
    }),
    // Without all decisions, a removal may be unknown.
    ...nodes.flatMap(({ group, node, end, ending }) =>
      hasDecisions && ending === 'unknown' && group !== null && end !== null
        ? step(group, node.labels[ZONE_LABEL] ?? null, end, 0)
        : [],
    ),
  ];
}

const capacitySteps = ({ since, available }: ObservedPeriod, names: ReadonlySet<GroupName>): readonly LoadStep[] =>
  available
    .filter(({ group }) => names.has(group))
    .map(({ at, ...capacity }) => ({ at: durationMs(at - since), kind: 'capacity', ...capacity }));

import { observationsOf } from '../../../cli/history/find-period.ts';
import { observePeriod } from '../../../cli/history/observe.ts';
import type { HistoryObservation, ObservedPeriod } from '../../../cli/history/observed.ts';
import type { DemoLoad } from '../../../simulation/load/load.ts';
import { readLoad } from '../../../simulation/load/read-load.ts';
import { record } from '../../../simulation/recording/record.ts';
import type { Recording } from '../../../simulation/recording/recording.ts';
import { clusterName } from '../../../core/model/values/names.ts';
import type { DecisionHistory } from '../../../core/ports/decision-history.ts';
import { createMemoryHistory } from '../../../providers/memory/history.ts';
import { groupsIn } from '../../bench/trace/documents.ts';
import { webLoad } from '../../bench/trace/web-load.ts';

const CLUSTER = clusterName('shop');

/** A run of the simulation, and the history that its decisions have left. */
export interface PlayedHistory {
  readonly recording: Recording;
  readonly history: DecisionHistory;
  readonly observations: readonly HistoryObservation[];
  readonly period: ObservedPeriod;
}

/**
 * Some hours of a web shop on three node groups of one type, and the decisions of it that a deployment would have kept. Memory of
 * nodes differs by some KiB, and prices of the groups by some per cent.
 */
export async function playedShop(
  seed: number,
  hours: number,
  options: Readonly<Record<string, unknown>> = {},
): Promise<PlayedHistory> {
  const read = readLoad({
    ...webLoad(`shop-${seed}`, seed, { days: hours / 24 }),
    nodeGroups: groupsIn(['m5.2xlarge'], { minSize: 1 }),
    options,
  });
  if (!read.ok) {
    throw new Error(JSON.stringify(read.error));
  }
  const groups = read.value.groups.map((group, index) => ({
    ...group,
    memoryJitter: 12_288 * (index + 1),
    price: group.price! * (1 + index / 50),
  }));
  return await playedHistory({ ...read.value, groups });
}

/** Runs a load, and keeps its decisions as a deployment does. */
export async function playedHistory(load: DemoLoad): Promise<PlayedHistory> {
  const history = createMemoryHistory(() => load.start);
  let version = 0;
  let kept: Promise<unknown> = Promise.resolve();
  const recording = await record(load, {
    watch: (scenario, decision) => {
      version += 1;
      const committed = { version, scenario, decision };
      kept = kept.then(() => history.add(CLUSTER, committed));
    },
  });
  await kept;
  const observations: HistoryObservation[] = [];
  for await (const one of observationsOf(history, CLUSTER, {})) {
    observations.push(one);
  }
  const period = await observePeriod(observations);
  if (period === null) {
    throw new Error('nothing was kept');
  }
  return { recording, history, observations, period };
}

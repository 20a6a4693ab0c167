import type { ClusterObjects } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import type { KindFilter, Plugin, PluginName, Rejection } from './plugin.ts';
import { PLUGINS } from './plugins.ts';

/** kube-scheduler's verdicts about the nodes of one snapshot. */
export interface Scheduler {
  /** Would the scheduler let a pod of this kind onto this node now? `null`: yes. */
  readonly check: (kind: PodKind, info: NodeInfo) => Rejection | null;
  /** How many pods of this kind fit on this node now, at most `wanted`, one after another. */
  readonly room: (kind: PodKind, info: NodeInfo, wanted: number) => number;
}

interface Compiled {
  readonly name: PluginName;
  readonly filter: KindFilter;
}

/** A scheduler for a snapshot; it stays right while the snapshot changes. */
export function createScheduler(
  snapshot: Snapshot,
  objects: ClusterObjects,
  plugins: readonly Plugin[] = PLUGINS,
): Scheduler {
  const prepared = plugins.map((plugin) => ({
    name: plugin.name,
    compile: plugin.prepare({ snapshot, objects }),
  }));
  const byKind: (readonly Compiled[])[] = [];

  const filtersOf = (kind: PodKind): readonly Compiled[] => {
    let filters = byKind[kind.id];
    if (filters === undefined) {
      filters = prepared.flatMap(({ name, compile }) => {
        const filter = compile(kind);
        return filter === null ? [] : [{ name, filter }];
      });
      byKind[kind.id] = filters;
    }
    return filters;
  };

  const check = (kind: PodKind, info: NodeInfo): Rejection | null => {
    const filters = filtersOf(kind);
    // All of PreFilter comes before any Filter: a missing claim is reported on tainted nodes too.
    for (const { name, filter } of filters) {
      const reasons = filter.everywhere?.() ?? null;
      if (reasons !== null) {
        return { plugin: name, reasons };
      }
    }
    for (const { name, filter } of filters) {
      if (filter.only !== undefined && !filter.only.has(info.name)) {
        return { plugin: name, reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"] };
      }
    }
    for (const { name, filter } of filters) {
      const reasons = filter.node(info);
      if (reasons !== null) {
        return { plugin: name, reasons };
      }
    }
    return null;
  };

  const room = (kind: PodKind, info: NodeInfo, wanted: number): number => {
    if (check(kind, info) !== null) {
      return 0;
    }
    let most = wanted;
    for (const { filter } of filtersOf(kind)) {
      most = Math.min(most, filter.room === undefined ? 1 : filter.room(info));
    }
    return most;
  };

  return { check, room };
}

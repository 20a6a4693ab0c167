import { instanceId } from '../../core/model/values/names.ts';
import { buildRegistry } from '../../core/registry/registry.ts';
import { node } from '../builders.ts';
import { group, NOW, running, scaleUpRequest, scenario, times } from '../scenario-builders.ts';
import type { Benchmark } from './measure.ts';

/** 150 groups of 33 ready nodes and one instance that is starting; every tenth group waits for a scale-up. */
function registry(): () => string {
  const groups = times(150, (g) => {
    const nodes = times(33, (n) => `g${g}-n${n}`);
    return group(`g${g}`, {
      max: 100,
      target: 34,
      nodes,
      instances: [...nodes.map((name) => running(`i-${name}`, name)), running(`i-g${g}-new`, null)],
    });
  });
  const input = scenario({
    groups,
    nodes: groups.flatMap(({ nodes }) => nodes.map((name) => node(name))),
    state: {
      scaleUpRequests: groups.filter((_, g) => g % 10 === 0).map(({ name }) => scaleUpRequest(name, 1)),
      unregisteredSince: Object.fromEntries(groups.map((_, g) => [instanceId(`i-g${g}-new`), NOW])),
    },
  });
  return () => {
    const {
      report: { totals },
      state,
    } = buildRegistry(input);
    return `${totals.ready} ready of ${totals.registered}, ${totals.unregistered} on their way, ${state.scaleUpRequests.length} requests`;
  };
}

export const registryBenchmarks: Readonly<Record<string, Benchmark>> = {
  'registry-5000-in-150': { goalMs: 50, prepare: registry },
};

import type { NodeName } from '../model/values/names.ts';
import { NO_CHANGE, type NodeChange } from '../model/cluster/node-change.ts';
import type { Scenario } from '../model/scenario.ts';
import { formatTime } from '../model/values/time.ts';
import { announcedIn, CORDONED_FOR_NOTICE } from './departures.ts';

/** A node that is to take no more pods. */
export interface Cordon {
  readonly node: NodeName;
  readonly uid: string;
  readonly change: NodeChange;
}

/** The nodes to be cordoned for rebalance recommendations, each once: a person may uncordon it again. */
export function cordonsFor(scenario: Scenario): readonly Cordon[] {
  const { cordoned } = announcedIn(scenario);
  const annotations = { [CORDONED_FOR_NOTICE]: formatTime(scenario.now) };
  return scenario.objects.nodes
    .filter(({ name }) => cordoned.has(name))
    .map(({ name, uid, unschedulable }) => ({
      node: name,
      uid,
      change: { ...NO_CHANGE, unschedulable: unschedulable ? null : true, annotations },
    }));
}

import { readable } from '../model/fault.ts';
import { becameReadyAt } from '../model/cluster/node-condition.ts';
import type { Node } from '../model/cluster/node.ts';
import type { Instance } from '../model/node-group.ts';
import type { Notice } from '../model/notice.ts';
import type { Scenario } from '../model/scenario.ts';
import type { InstanceId } from '../model/values/names.ts';
import { getOptional } from '../model/values/optional.ts';
import { minutes } from '../model/values/time.ts';
import { endBegan, saysThatItEnds } from './ends.ts';

/** Upper bound on the time for which an instance that is being ended is still described as running. */
const DESCRIBED_LATE = minutes(2);

/**
 * The notices of a scenario without notices about the former end of an instance that is a node again. A group whose
 * warm pool reuses instances stops the instance whose termination was announced, and starts it again later: under the
 * same ID, for which the notice is kept.
 */
export function ofPresentLives({
  notices = [],
  nodeGroups,
  objects,
  now,
}: Pick<Scenario, 'notices' | 'nodeGroups' | 'objects' | 'now'>): readonly Notice[] {
  const reusing = nodeGroups.filter(({ warmPool }) => warmPool?.reuse === true);
  if (notices.length === 0 || reusing.length === 0) {
    return notices;
  }
  const instances = new Map<InstanceId, Instance>(
    reusing.flatMap(({ instances: all }) => all.map((one) => [one.id, one] as const)),
  );
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  return notices.filter((notice) => {
    const instance = instances.get(notice.instance);
    if (instance === undefined || !saysThatItEnds(notice)) {
      return true;
    }
    const node = getOptional(nodes, instance.node);
    const began = endBegan(notice);
    const isEnding = instance.state === 'Deleting';
    // A node that waits for a lifecycle hook may become ready again.
    const since = isEnding && notice.kind === 'LifecycleHook' ? madeAt : upSince;
    const isNew = node !== undefined && readable(() => since(node), 0) > began;
    // The present end is announced by an event of its own, which may be on its way.
    return !isNew && (isEnding || notice.kind !== 'LifecycleHook' || now - began < DESCRIBED_LATE);
  });
}

const madeAt = ({ createdAt }: Node): number => createdAt ?? 0;

/** When the Node was made, or became ready; a Node that is kept while its instance is stopped is not ready. */
const upSince = (node: Node): number => Math.max(madeAt(node), becameReadyAt(node) ?? 0);

import { present } from '../values/present.ts';
import type { UnexpectedError } from '../decision.ts';
import type { Node } from '../cluster/node.ts';
import type { NodeGroup } from '../node-group.ts';
import { keyOf, type Pod } from '../cluster/pod.ts';
import { podRequests } from '../cluster/pod-requests.ts';
import { type ObjectLists, NO_OBJECTS, type Scenario } from '../scenario.ts';
import { sortedBy } from '../values/sorted.ts';
import { canonical, type PodKind, selectorKeys } from '../snapshot/pod-kind.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { isPending, waitOf } from '../pod-wait.ts';
import { describeError, Fault, type FaultSubject } from '../fault.ts';
import { nodeOf, type Quarantine } from './quarantine.ts';
import { mapOptional } from '../values/optional.ts';

/** The objects to set aside in addition, and the errors that report them. */
interface FaultyObjects {
  readonly aside: Quarantine;
  readonly errors: readonly UnexpectedError[];
}

/** The search for objects of a scenario that an evaluation does not stand. */
interface FaultyObjectSearch {
  readonly scenario: Scenario;
  /** Set aside already. */
  readonly already: Quarantine;
  readonly during: UnexpectedError['during'];
}

/**
 * The objects of a scenario that an exception is about: every object that throws when it is looked at alone, so that
 * many of a sort are found at once; or else the subjects of the exception, nearest first.
 *
 * @param wide takes all waiting pods of a pod's namespace with it: exceptions have come one by one for too long.
 * @returns `null` where nothing is found that is not set aside already.
 */
export function findFaultyObjects(search: FaultyObjectSearch, thrown: unknown, wide: boolean): FaultyObjects | null {
  const alone = throwing(search);
  // The subjects of the exception are most likely among these objects.
  return alone.errors.length > 0 ? alone : namedBy(search, thrown, wide);
}

const nothingFound = (): Quarantine => ({ pods: new Map(), nodes: new Map(), groups: new Map(), others: new Map() });

/** Looks at every object alone. */
function throwing({ scenario, already, during }: FaultyObjectSearch): FaultyObjects {
  const { objects, state, options, now, nodeGroups } = scenario;
  const found = nothingFound();
  const errors: UnexpectedError[] = [];
  const probe = <T extends object>(
    all: readonly T[],
    into: keyof Quarantine,
    about: (one: T) => Partial<UnexpectedError>,
    look: (one: T) => unknown = JSON.stringify,
  ): void => {
    for (const one of all) {
      if ((already[into] as ReadonlyMap<object, string>).has(one)) {
        continue;
      }
      try {
        look(one);
      } catch (error) {
        const described = describeError(error);
        (found[into] as Map<object, string>).set(one, `UnexpectedError: ${described.message}`);
        errors.push({ during, ...about(one), ...described });
      }
    }
  };
  probe([...objects.pods, ...state.recentEvictions], 'pods', aboutPod, (pod) => {
    JSON.stringify(pod);
    podRequests(pod);
    new Snapshot(selectorKeys([pod])).kindOf(pod);
    return isPending(pod, options) && waitOf(pod, options, now);
  });
  probe(objects.nodes, 'nodes', aboutNode);
  probe(nodeGroups, 'groups', aboutGroup);
  for (const name of Object.keys(NO_OBJECTS) as (keyof ObjectLists)[]) {
    if (name !== 'pods' && name !== 'nodes') {
      probe(objects[name] as readonly { readonly name?: string }[], 'others', (one) => ({
        object: `${name} ${one.name ?? ''}`.trim(),
      }));
    }
  }
  return { aside: found, errors };
}

/** Goes by what the exception says, nearest first. */
function namedBy(search: FaultyObjectSearch, thrown: unknown, wide: boolean): FaultyObjects | null {
  const described = describeError(thrown);
  const reason = `UnexpectedError: ${described.message}`;
  for (const subject of thrown instanceof Fault ? thrown.subjects : []) {
    const found = nothingFound();
    const about = take(subject, search, wide, (into, one) => (found[into] as Map<object, string>).set(one, reason));
    if (about !== null) {
      return { aside: found, errors: [{ during: search.during, ...about, ...described }] };
    }
  }
  return null;
}

/** @returns what is said of the objects; `null` where none was found. */
function take(
  subject: FaultSubject,
  { scenario: { objects, state, nodeGroups }, already }: FaultyObjectSearch,
  wide: boolean,
  add: (into: keyof Quarantine, one: object) => void,
): Partial<UnexpectedError> | null {
  switch (subject.kind) {
    case 'node': {
      const node = objects.nodes.find((one) => one.name === subject.node && !already.nodes.has(one));
      if (node === undefined) {
        return null;
      }
      add('nodes', node);
      return aboutNode(node);
    }
    case 'group': {
      const group = nodeGroups.find((one) => one.name === subject.group && !already.groups.has(one));
      if (group === undefined) {
        return null;
      }
      add('groups', group);
      return aboutGroup(group);
    }
    case 'pod':
    case 'pods': {
      const isMeant = subject.kind === 'pod' ? sameAs(subject.pod) : ofKind(subject.of);
      const every = [...objects.pods, ...state.recentEvictions].filter((pod) => !already.pods.has(pod));
      const alike = every.filter(isMeant);
      const namespaces = new Set(wide ? alike.map(({ namespace }) => namespace) : []);
      const all = wide ? every.filter((pod) => namespaces.has(pod.namespace) && pod.nodeName === null) : [];
      const pods = new Set([...alike, ...all]);
      pods.forEach((pod) => add('pods', pod));
      const [first] = sortedBy([...pods], keyOf);
      const several = pods.size > 1 ? pods.size : undefined;
      return mapOptional(first, (pod) => ({ ...aboutPod(pod), pods: several })) ?? null;
    }
  }
}

/** The pod may be a changed copy. */
const sameAs =
  (pod: Pod) =>
  (other: Pod): boolean =>
    other === pod || (other.uid === pod.uid && other.name === pod.name && other.namespace === pod.namespace);

function ofKind({ namespace, spec }: PodKind): (pod: Pod) => boolean {
  const content = canonical(spec);
  const known = new Map([[spec, true]]);
  return (pod) => {
    let same = known.get(pod.spec);
    if (same === undefined) {
      same = canonical(pod.spec) === content;
      known.set(pod.spec, same);
    }
    return same && pod.namespace === namespace;
  };
}

const aboutPod = (pod: Pod): Partial<UnexpectedError> => present({ pod: keyOf(pod), node: nodeOf(pod) });
const aboutNode = ({ name }: Node): Partial<UnexpectedError> => ({ node: name });
const aboutGroup = ({ name }: NodeGroup): Partial<UnexpectedError> => ({ group: name });

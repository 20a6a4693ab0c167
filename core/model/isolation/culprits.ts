import { present } from '../values/present.ts';
import type { UnexpectedError } from '../decision.ts';
import type { Node } from '../cluster/node.ts';
import type { NodeGroup } from '../node-group.ts';
import type { Pod } from '../cluster/pod.ts';
import { podRequests } from '../cluster/pod-requests.ts';
import { type ObjectLists, NO_OBJECTS, type Scenario } from '../scenario.ts';
import { sortedBy } from '../values/sorted.ts';
import { canonical, type PodKind, selectorKeys } from '../snapshot/pod-kind.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { isPending, waitOf } from '../pod-wait.ts';
import { describeError, Fault, readable, type FaultSubject } from '../fault.ts';
import { keyIn, quarantinedName, nodeOf, type Quarantine } from './quarantine.ts';

/** The objects to set aside in addition, and the errors that report them. */
interface Culprits {
  readonly aside: Quarantine;
  readonly errors: readonly UnexpectedError[];
}

type During = UnexpectedError['during'];

/**
 * The objects of a scenario that an exception is about: every object that throws when it is looked at alone, so that
 * many of a sort are found at once; or else the subjects of the exception, nearest first.
 *
 * @param wide takes all waiting pods of a pod's namespace with it: exceptions have come one by one for too long.
 * @returns `null` where nothing is found that is not set aside already.
 */
export function culpritsOf(
  scenario: Scenario,
  already: Quarantine,
  thrown: unknown,
  during: During,
  wide: boolean,
): Culprits | null {
  const alone = throwing(scenario, already, during);
  // The subjects of the exception are most likely among these objects.
  return alone.errors.length > 0 ? alone : namedBy(scenario, already, thrown, during, wide);
}

interface Found {
  readonly pods: Map<Pod, string>;
  readonly nodes: Map<Node, string>;
  readonly groups: Map<NodeGroup, string>;
  readonly others: Map<object, string>;
}

const nothingFound = (): Found => ({ pods: new Map(), nodes: new Map(), groups: new Map(), others: new Map() });

/** Looks at every object alone. */
function throwing(scenario: Scenario, already: Quarantine, during: During): Culprits {
  const { objects, state, options, now, nodeGroups } = scenario;
  const found = nothingFound();
  const errors: UnexpectedError[] = [];
  const probe = <T extends object>(
    all: readonly T[],
    known: ReadonlyMap<object, string>,
    into: Map<T, string>,
    about: (one: T) => Partial<UnexpectedError>,
    look: (one: T) => unknown = JSON.stringify,
  ): void => {
    for (const one of all) {
      if (known.has(one)) {
        continue;
      }
      try {
        look(one);
      } catch (error) {
        const described = describeError(error);
        into.set(one, `UnexpectedError: ${described.message}`);
        errors.push({ during, ...about(one), ...described });
      }
    }
  };
  probe([...objects.pods, ...state.recentEvictions], already.pods, found.pods, aboutPod, (pod) => {
    JSON.stringify(pod);
    podRequests(pod);
    new Snapshot(selectorKeys([pod])).kindOf(pod);
    return isPending(pod, options) && waitOf(pod, options, now);
  });
  probe(objects.nodes, already.nodes, found.nodes, aboutNode);
  probe(nodeGroups, already.groups, found.groups, aboutGroup);
  for (const name of Object.keys(NO_OBJECTS) as (keyof ObjectLists)[]) {
    if (name !== 'pods' && name !== 'nodes') {
      probe(objects[name] as readonly object[], already.others, found.others, (one) => ({
        object: `${name} ${readable(() => String((one as { readonly name?: unknown }).name), '')}`.trim(),
      }));
    }
  }
  return { aside: found, errors };
}

/** Goes by what the exception says, nearest first. */
function namedBy(
  scenario: Scenario,
  already: Quarantine,
  thrown: unknown,
  during: During,
  wide: boolean,
): Culprits | null {
  const described = describeError(thrown);
  const reason = `UnexpectedError: ${described.message}`;
  for (const subject of thrown instanceof Fault ? thrown.subjects : []) {
    const found = nothingFound();
    const about = take(subject, scenario, already, wide, found, reason);
    if (found.pods.size + found.nodes.size + found.groups.size > 0) {
      return { aside: found, errors: [{ during, ...about, ...described }] };
    }
  }
  return null;
}

function take(
  subject: FaultSubject,
  { objects, state, nodeGroups }: Scenario,
  already: Quarantine,
  wide: boolean,
  found: Found,
  reason: string,
): Partial<UnexpectedError> {
  switch (subject.kind) {
    case 'node': {
      const node = objects.nodes.find((one) => quarantinedName(one) === subject.node && !already.nodes.has(one));
      if (node === undefined) {
        return {};
      }
      found.nodes.set(node, reason);
      return aboutNode(node);
    }
    case 'group': {
      const group = nodeGroups.find((one) => quarantinedName(one) === subject.group && !already.groups.has(one));
      if (group === undefined) {
        return {};
      }
      found.groups.set(group, reason);
      return aboutGroup(group);
    }
    case 'pod':
    case 'pods': {
      const isMeant = subject.kind === 'pod' ? sameAs(subject.pod) : ofKind(subject.of);
      const every = [...objects.pods, ...state.recentEvictions].filter((pod) => !already.pods.has(pod));
      const alike = every.filter(isMeant);
      const namespaces = new Set(wide ? alike.map(({ namespace }) => namespace) : []);
      const all = wide ? every.filter((pod) => namespaces.has(pod.namespace) && pod.nodeName === null) : [];
      for (const pod of [...alike, ...all]) {
        found.pods.set(pod, reason);
      }
      const [first] = sortedBy([...found.pods.keys()], (pod) => keyIn(pod) ?? '');
      if (first === undefined) {
        return {};
      }
      return { ...aboutPod(first), pods: found.pods.size > 1 ? found.pods.size : undefined };
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

const aboutPod = (pod: Pod): Partial<UnexpectedError> => {
  const key = keyIn(pod);
  const node = nodeOf(pod);
  return { ...present({ pod: key, node }) };
};

const aboutNode = (node: Node): Partial<UnexpectedError> => {
  const name = quarantinedName(node);
  return name === null ? {} : { node: name };
};

const aboutGroup = (group: NodeGroup): Partial<UnexpectedError> => {
  const name = quarantinedName(group);
  return name === null ? {} : { group: name };
};

import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import type { V1Node, V1Taint } from '@kubernetes/client-node';
import { setTimeout as delay } from 'node:timers/promises';
import { awsClients, region } from './aws-clients.ts';
import { describeGroups } from './aws-setup.ts';
import { instanceShape, type InstanceShape } from './instance-shapes.ts';
import type { Kube } from './kube.ts';
import { createNode, type EndedNode, labelsOfKubelet, podsOf } from './nodes.ts';

/** Plays what lies between an instance and its Node: boot, kubelet registration, and the end of both. */
export interface Bridge {
  /** The instances that became Nodes and have ended since, in their order. */
  readonly ended: readonly EndedInstance[];
  stop(): Promise<void>;
}

export interface EndedInstance extends EndedNode {
  readonly id: string;
}

interface BridgeSettings {
  readonly kube: Kube;
  readonly awsEndpoint: string;
  readonly cluster: string;
  /** From launch to registration. */
  readonly bootMs: number;
  /** Each instance takes longer than that by some part of this: instances do not boot alike. */
  readonly bootSpreadMs?: number;
  /** Groups whose instances never register. */
  readonly neverRegister?: readonly string[];
}

interface Instance {
  readonly group: AutoScalingGroup;
  readonly id: string;
  readonly type: string;
  readonly zone: string;
}

const POLL_MS = 200;

/** Its multiples spread evenly over the unit interval, without any order. */
const GOLDEN_RATIO = 0.618_033_988_75;

/** Starts to turn the instances of a cluster's groups into Nodes. */
export function startBridge({
  kube,
  awsEndpoint,
  cluster,
  bootMs,
  bootSpreadMs = 0,
  neverRegister = [],
}: BridgeSettings): Bridge {
  const aws = awsClients(awsEndpoint);
  const stopped = new AbortController();
  const shapes = new Map<string, Promise<InstanceShape>>();
  const shape = (type: string) => {
    const known = shapes.get(type) ?? instanceShape(aws, type);
    shapes.set(type, known);
    return known;
  };
  const firstSeen = new Map<string, number>();
  const ordinals = new Map<string, number>();
  const ordinalOf = (id: string): number => {
    const ordinal = ordinals.get(id) ?? ordinals.size;
    ordinals.set(id, ordinal);
    return ordinal;
  };
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const count = names.size + 1;
    const name = names.get(id) ?? `ip-10-0-${count >> 8}-${count & 255}.ec2.internal`;
    names.set(id, name);
    return name;
  };
  const nodes = new Map<string, string>();
  const ended: EndedInstance[] = [];

  const register = async (instance: Instance): Promise<void> => {
    const name = nameOf(instance.id);
    const node = nodeOf(name, instance, await shape(instance.type));
    await createNode(kube, node);
    nodes.set(instance.id, name);
  };

  /** The pods are read when the instance is found terminated, some hundred milliseconds after the termination. */
  const forget = async (id: string, node: string): Promise<void> => {
    if (!ended.some((instance) => instance.id === id)) {
      ended.push({ id, node, lost: await podsOf(kube, node) });
    }
    await kube.remove(`/api/v1/nodes/${node}`);
    nodes.delete(id);
  };

  const poll = async (): Promise<void> => {
    const now = performance.now();
    const alive = new Set<string>();
    const due: Instance[] = [];
    for (const group of await describeGroups(aws, cluster)) {
      for (const { InstanceId: id, InstanceType: type, AvailabilityZone: zone } of group.Instances ?? []) {
        if (id === undefined || type === undefined || zone === undefined) continue;
        alive.add(id);
        const since = firstSeen.get(id) ?? now;
        firstSeen.set(id, since);
        const boots = bootMs + bootSpreadMs * ((ordinalOf(id) * GOLDEN_RATIO) % 1);
        if (nodes.has(id) || now - since < boots || neverRegister.includes(group.AutoScalingGroupName ?? '')) continue;
        due.push({ group, id, type, zone });
      }
    }
    const gone = [...nodes].filter(([id]) => !alive.has(id));
    await Promise.all([...due.map(register), ...gone.map(([id, name]) => forget(id, name))]);
  };

  const finished = (async () => {
    while (!stopped.signal.aborted) {
      // A connection may break, and the next poll makes up for it; what stays broken, the test misses.
      await poll().catch((error: unknown) => process.stdout.write(`bridge of ${cluster}, goes on: ${String(error)}\n`));
      await delay(POLL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();

  return {
    ended,
    async stop() {
      stopped.abort();
      await finished;
      aws.destroy();
    },
  };
}

const TEMPLATE = 'k8s.io/cluster-autoscaler/node-template/';

function nodeOf(
  name: string,
  { group, id, type, zone }: Instance,
  { arch, capacity, allocatable }: InstanceShape,
): V1Node {
  const template = (kind: string): [string, string][] =>
    (group.Tags ?? [])
      .filter(({ Key }) => Key?.startsWith(`${TEMPLATE}${kind}/`))
      .map(({ Key = '', Value = '' }) => [Key.slice(TEMPLATE.length + kind.length + 1), Value]);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        ...Object.fromEntries(template('label')),
        ...labelsOfKubelet(name, arch),
        'node.kubernetes.io/instance-type': type,
        'topology.kubernetes.io/region': region,
        'topology.kubernetes.io/zone': zone,
        // Cloud controllers still set the old names too.
        'beta.kubernetes.io/instance-type': type,
        'failure-domain.beta.kubernetes.io/region': region,
        'failure-domain.beta.kubernetes.io/zone': zone,
      },
    },
    spec: {
      providerID: `aws:///${zone}/${id}`,
      taints: template('taint').flatMap(([key, value]) => taint(key, value)),
    },
    status: { capacity: { ...capacity }, allocatable: { ...allocatable } },
  };
}

/** `VALUE:EFFECT`, as the tag has it; a tag that says something else is no taint of a node either. */
function taint(key: string, tag: string): V1Taint[] {
  const [, value, effect] = /^(.*):(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(tag) ?? [];
  return effect === undefined ? [] : [{ key, effect, ...(value === undefined ? {} : { value }) }];
}

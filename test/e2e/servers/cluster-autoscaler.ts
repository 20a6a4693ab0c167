import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SetDesiredCapacityCommand, TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { setTimeout as delay } from 'node:timers/promises';
import type { V1Node, V1Pod } from '@kubernetes/client-node';
import type { E2eCluster } from '../cluster.ts';
import { region, testCredentials } from './aws-clients.ts';
import { startProcess } from './server-process.ts';

/** An autoscaler that acts beside an observing Outrigger. */
export interface ActingAutoscaler {
  stop(): Promise<void>;
}

interface Acting {
  readonly cluster: E2eCluster;
  readonly group: string;
  /** Path, of a user who may write ConfigMaps and Leases. */
  readonly kubeconfig: string;
  readonly awsEndpoint: string;
  readonly logs: string;
}

/**
 * Starts Cluster Autoscaler, where `CLUSTER_AUTOSCALER` names its program: it is no Go module that can be built from a registry. Else starts a
 * stand-in, which sets sizes and writes the events and the status of Cluster Autoscaler, ten seconds late as its scan interval has it.
 */
export async function startClusterAutoscaler(acting: Acting): Promise<ActingAutoscaler> {
  const program = process.env['CLUSTER_AUTOSCALER'];
  return program === undefined ? startStandIn(acting) : await startProgram(program, acting, SOON_FLAGS);
}

/** Nodes go soon, where the defaults take ten minutes. */
const SOON_FLAGS = ['--scale-down-unneeded-time=20s', '--scale-down-delay-after-add=10s'];

/** Cluster Autoscaler takes endpoints from its cloud configuration only; each setting must be there. */
const cloudConfig = (endpoint: string): string =>
  ['autoscaling', 'ec2', 'eks']
    .map(
      (service) => `[ServiceOverride "${service}"]
Service = ${service}
Region = ${region}
URL = ${endpoint}
SigningRegion = ${region}
SigningMethod = v4
SigningName = ${service}
`,
    )
    .join('');

/** @param flags besides the flags that name the servers and the groups. */
export async function startProgram(
  program: string,
  { cluster, kubeconfig, awsEndpoint, logs }: Omit<Acting, 'group'>,
  flags: readonly string[],
): Promise<ActingAutoscaler & { readonly pid: number }> {
  const configuration = path.join(logs, `${cluster.name}-cloud-config`);
  await writeFile(configuration, cloudConfig(awsEndpoint));
  const server = startProcess({
    name: `${cluster.name}-cluster-autoscaler`,
    command: program,
    args: [
      '--cloud-provider=aws',
      `--cloud-config=${configuration}`,
      `--kubeconfig=${kubeconfig}`,
      `--node-group-auto-discovery=asg:tag=k8s.io/cluster-autoscaler/enabled,k8s.io/cluster-autoscaler/${cluster.name}`,
      '--aws-use-static-instance-list=true',
      '--leader-elect=false',
      '--address=127.0.0.1:0',
      ...flags,
    ],
    environment: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: testCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: testCredentials.secretAccessKey,
    },
    cwd: logs,
    logs,
  });
  return { pid: server.pid, stop: () => server.stop() };
}

const STATUS = '/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status';
/** The scan interval of Cluster Autoscaler. */
const SCAN_MS = 10_000;

function startStandIn({ cluster, group }: Acting): ActingAutoscaler {
  const { kube, aws, name } = cluster;
  const stop = new AbortController();
  const source = { component: 'cluster-autoscaler' };
  const now = (): string => new Date().toISOString();
  const event = (namespace: string, reason: string, involvedObject: object) =>
    kube.create(`/api/v1/namespaces/${namespace}/events`, {
      metadata: { generateName: 'autoscaler-', namespace },
      type: 'Normal',
      reason,
      involvedObject,
      source,
      firstTimestamp: now(),
      lastTimestamp: now(),
    });
  const act = async (): Promise<void> => {
    // Outrigger writes one of this name for other clusters of the servers.
    await kube.remove(STATUS).catch(() => undefined);
    await kube.create('/api/v1/namespaces/kube-system/configmaps', {
      metadata: { name: 'cluster-autoscaler-status' },
      data: { status: `time: ${now()}\nautoscalerStatus: Running\n` },
    });
    const pods = `/api/v1/namespaces/${name}/pods`;
    const rejected = ({ status }: V1Pod): boolean =>
      status?.conditions?.some(({ type, status: is }) => type === 'PodScheduled' && is === 'False') === true;
    const pending = await kube.until<V1Pod>(pods, {
      what: 'two pods without a node',
      holds: (all) => all.filter(rejected).length === 2,
    });
    await delay(SCAN_MS, undefined, { signal: stop.signal });
    await aws.autoScaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: group, DesiredCapacity: 3 }));
    for (const { metadata } of pending.filter(rejected)) {
      await event(name, 'TriggeredScaleUp', { kind: 'Pod', namespace: name, name: metadata?.name, uid: metadata?.uid });
    }
    await kube.until<V1Pod>(pods, { what: 'no pods', holds: (all) => all.length === 0 });
    await delay(SCAN_MS, undefined, { signal: stop.signal });
    for (const { metadata, spec } of await kube.list<V1Node>('/api/v1/nodes')) {
      await event('default', 'ScaleDown', { kind: 'Node', name: metadata?.name, uid: metadata?.uid });
      const InstanceId = spec?.providerID?.split('/').at(-1);
      await aws.autoScaling.send(
        new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity: true }),
      );
    }
  };
  const acted = act();
  return {
    stop: async () => {
      stop.abort();
      await acted.catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
      await kube.remove(STATUS);
    },
  };
}

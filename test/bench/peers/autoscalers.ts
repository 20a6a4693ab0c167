import { UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import type { E2eCluster } from '../../e2e/cluster.ts';
import { RECOMMENDED } from '../../../scripts/docs/recommended.ts';
import { allowOptions } from '../../e2e/local-rights.ts';
import { REGISTERS_CLOSED } from '../../e2e/placement/nominations.ts';
import { startProgram } from '../../e2e/servers/cluster-autoscaler.ts';
import { serverSet } from '../../e2e/server-set.ts';
import { startKarpenter } from './karpenter.ts';
import type { Peer } from './peer.ts';

/** The recommended options, with the times of a bench; Karpenter's are the same. */
const OPTIONS = {
  ...RECOMMENDED,
  incrementalReads: true,
  scaleDownUnneededTime: '30s',
  scaleDownDelayAfterAdd: '10s',
  consolidationMinNodeAge: '30s',
  consolidateAfter: '30s',
};

const outriggerWith =
  (options: Readonly<Record<string, unknown>>): Peer['start'] =>
  async (cluster) => {
    await allowOptions(cluster, options);
    const file = await cluster.optionsFile({ ...OPTIONS, ...options });
    const outrigger = await cluster.outriggerWithWebhook('outrigger', `--options=${file}`);
    return { pid: outrigger.pid, loseZone: emptyGroupOf(cluster), stop: () => outrigger.stop() };
  };

const emptyGroupOf =
  (cluster: E2eCluster) =>
  async (zone: string): Promise<void> => {
    const group = Object.keys(await cluster.sizes()).find((name) => name.endsWith(`-${zone.at(-1)!}`));
    await cluster.aws.autoScaling.send(
      new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: group, MinSize: 0, MaxSize: 0, DesiredCapacity: 0 }),
    );
  };

const CLUSTER_AUTOSCALER = process.env['CLUSTER_AUTOSCALER'];

const clusterAutoscaler = (program: string): Peer => ({
  name: 'Cluster Autoscaler',
  tags: {},
  async start(cluster) {
    const { kubeconfig, logs } = serverSet;
    const awsEndpoint = cluster.recorder.endpoint;
    const started = await startProgram(program, { cluster, kubeconfig, awsEndpoint, logs }, [
      '--expander=least-waste',
      '--balance-similar-node-groups',
      '--scale-down-unneeded-time=30s',
      '--scale-down-delay-after-add=10s',
    ]);
    return { ...started, loseZone: emptyGroupOf(cluster) };
  },
});

/** In the order in which each round runs them. Cluster Autoscaler is no module that could be built here: its program is named by a variable. */
export const PEERS: readonly Peer[] = [
  { name: 'Outrigger', tags: {}, start: outriggerWith({}) },
  { name: 'Karpenter', tags: {}, start: startKarpenter },
  { name: 'Outrigger, planned', tags: REGISTERS_CLOSED, start: outriggerWith({ plannedPlacement: true }) },
  ...(CLUSTER_AUTOSCALER === undefined ? [] : [clusterAutoscaler(CLUSTER_AUTOSCALER)]),
];

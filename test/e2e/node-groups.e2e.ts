import { UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { afterAll, beforeAll, describe } from 'vitest';
import { clusterName, groupName } from '../../core/model/values/names.ts';
import { epochMs } from '../../core/model/values/time.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import { createAwsClients } from '../../providers/aws/api/clients.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Transport } from '../../providers/kubernetes/client/transport.ts';
import { node } from '../builders.ts';
import { type GroupWish, nodeGroupsContract } from '../providers/node-groups.contract.ts';
import { startMachineGround, type MachineApi } from './cluster-api/contract-ground.ts';
import { capacityAnnotations, shapeOf } from './cluster-api/fleets.ts';
import { installOpenshift, openshiftMachineSet, openshiftPaths } from './cluster-api/openshift.ts';
import { connection } from './connection.ts';
import { awsClients, region, testCredentials, type AwsClients } from './servers/aws-clients.ts';
import { createGroups, deleteGroups, describeGroups } from './servers/aws-setup.ts';
import { type Kube, kube as connect } from './servers/kube.ts';
import { serverSet } from './server-set.ts';

const NAMESPACE = 'node-groups';
const REAL = { canBeMalformed: true, keepsInstances: true, endsAtOnce: true };

let kube: Kube;
let transport: Transport;

beforeAll(async () => {
  kube = connect(connection());
  transport = createTransport(await connectionOfKubeconfig({ file: serverSet.kubeconfig, context: null }));
  await kube.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
});

afterAll(async () => {
  await kube.removeAll('/api/v1/nodes');
  await kube.remove(`/api/v1/namespaces/${NAMESPACE}`);
  transport.close();
  kube.close();
});

/** moto answers each request in a thread of its own, and loses one of two changes of a group that are made at the same time. */
function oneAtATime<T extends Pick<AwsClients, 'autoScaling'>>(given: T): T {
  let last: Promise<unknown> = Promise.resolve();
  given.autoScaling.middlewareStack.add(
    (next) => async (args) => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      try {
        return await next(args);
      } finally {
        resolve();
      }
    },
    { step: 'initialize' },
  );
  return given;
}

describe('Auto Scaling groups of moto', () => {
  let clients: AwsClients;
  const own = oneAtATime(createAwsClients({ region, endpoint: serverSet.awsEndpoint, credentials: testCredentials }));
  const clusters: string[] = [];
  beforeAll(() => {
    clients = awsClients(serverSet.awsEndpoint);
  });
  afterAll(async () => {
    for (const cluster of clusters) await deleteGroups(clients, cluster);
    clients.destroy();
  });

  nodeGroupsContract({ ...REAL, keepsMinimum: false }, async (wishes) => {
    const cluster = `contract-${clusters.length}`;
    clusters.push(cluster);
    for (const wish of wishes) await createAutoScalingGroup(clients, cluster, wish);
    let nodes: readonly Node[] = [];
    // Nothing boots here: every instance is a node as soon as it is there.
    const settle = async (): Promise<void> => {
      const groups = await describeGroups(clients, cluster);
      const instances = groups.flatMap(({ Instances = [] }) => Instances);
      nodes = instances.map(({ InstanceId, AvailabilityZone }) =>
        node(`node-${InstanceId}`, { cpu: 4 }, { providerId: `aws:///${AvailabilityZone}/${InstanceId}` }),
      );
    };
    await settle();
    return {
      groups: createAutoScalingGroups({
        cluster: clusterName(cluster),
        region,
        clients: own,
        prices: false,
        warn: () => undefined,
        now: () => epochMs(Date.now()),
      }),
      nameOf: (name) => groupName(`${cluster}-${name}-a`),
      nodes: () => nodes,
      call: (make) => make(),
      settle,
    };
  });
});

async function createAutoScalingGroup(clients: AwsClients, cluster: string, wish: GroupWish): Promise<void> {
  const { name, min = 0, max = 10, size = 0, malformed = false } = wish;
  const instances = { min, max, desired: size, instanceType: 'm5.xlarge', zones: [`${region}a`] };
  const [AutoScalingGroupName] = await createGroups(clients, { cluster, name, ...instances });
  if (!malformed) return;
  // Its sizes count in something else than instances.
  const LaunchTemplateSpecification = { LaunchTemplateName: `${cluster}-${name}`, Version: '$Latest' };
  const Overrides = [{ InstanceType: instances.instanceType, WeightedCapacity: '4' }];
  const MixedInstancesPolicy = { LaunchTemplate: { LaunchTemplateSpecification, Overrides } };
  await clients.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, MixedInstancesPolicy }));
}

const SHAPE = shapeOf('a');

describe.concurrent('MachineSets of machine.openshift.io', () => {
  const { machines: machinesPath, machineSets: path } = openshiftPaths(NAMESPACE);
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ close } = await installOpenshift(kube, NAMESPACE));
  });
  afterAll(() => close());

  const createGroup: MachineApi['createGroup'] = async ({ name, replicas, annotations, labels }) => {
    const all = { ...annotations, ...capacityAnnotations(SHAPE) };
    await kube.create(path, openshiftMachineSet(name, replicas, SHAPE, all, labels));
  };
  const apiGroup = 'machine.openshift.io';
  nodeGroupsContract(REAL, (wishes) =>
    startMachineGround(
      { apiGroup, kind: 'MachineSet', namespace: NAMESPACE, kube, transport, machinesPath, path, createGroup },
      wishes,
    ),
  );
});

import { present } from '@outrigger/core/model/values/present.ts';
import { stackNameOf } from '../../../config/stack-names.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { assumedRole } from '@outrigger/providers/aws/api/assumed-role.ts';
import type { AwsCredentials, ClientSettings } from '@outrigger/providers/aws/api/clients.ts';
import { listGroups } from '@outrigger/providers/aws/groups/discovery.ts';
import { connectionOfEksCluster } from '@outrigger/providers/aws/api/eks-connection.ts';
import { connectionOfKubeconfig } from '@outrigger/providers/kubernetes/auth/kubeconfig.ts';
import type { Connection } from '@outrigger/providers/kubernetes/client/connection.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { AccountAccess } from '../../install/place.ts';
import { readStackNow } from '../../install/stack/deployed.ts';
import { regionFor } from '../../live/region.ts';
import type { DoctorSettings } from '../settings.ts';
import {
  createDoctorClients,
  discoveryOf,
  type DoctorClients,
  readEksCluster,
  readConcurrency,
  readDurable,
  readNodeGroups,
} from './aws.ts';
import { readClusterApi } from './cluster-api.ts';
import { type Fact, factOf, factOr, type MissingFact, notCalled } from './fact.ts';
import type { EksCluster, Facts } from './facts.ts';
import { readKubernetes } from './kubernetes.ts';
import { readPartlyTagged } from './partly-tagged.ts';
import { readUnpriced } from './prices.ts';
import { readUntainted } from './untainted.ts';

/** The sources of facts. */
export interface Sources extends AccountAccess {
  readonly now: EpochMs;
}

/** The name of the stack that `cdk bootstrap` makes, unless another one is given. */
export const BOOTSTRAP_STACK = 'CDKToolkit';

/** Reads everything that the checks judge. Changes nothing; what cannot be read is a value too. */
export async function gatherFacts(settings: DoctorSettings, sources: Sources): Promise<Facts> {
  const { now, endpoint, credentials } = sources;
  const region = await factOf('region', () => regionFor(settings.region));
  if (!region.ok) {
    const session = notCalled('sts:AssumeRole', region.error.text);
    return { now, settings, region, session, ...(await nothingRead(region.error, settings, sources)) };
  }
  const own = {
    region: region.value,
    ...present({ endpoint, credentials }),
  };
  const session = await factOf('sts:AssumeRole', () => sessionFor(settings, own));
  const clients = createDoctorClients(own, factOr(session, null));
  try {
    return { now, settings, region, session, ...(await readAll({ clients, own, session }, settings, sources)) };
  } finally {
    clients.destroy();
  }
}

/** A single session is enough: it lasts longer than the command. */
const sessionFor = async (
  { role, cluster }: DoctorSettings,
  own: ClientSettings,
): Promise<Exclude<AwsCredentials, () => unknown> | null> =>
  await mapOptional(role, (given) => assumedRole(given, cluster, own.region, own)());

type Read = Omit<Facts, 'now' | 'settings' | 'region' | 'session'>;

/** Without a region nothing of AWS can be called. */
async function nothingRead(
  { text }: MissingFact,
  settings: DoctorSettings,
  { kubeconfig, now }: Sources,
): Promise<Read> {
  const connection =
    kubeconfig === null
      ? notCalled('API server', text)
      : await factOf('kubeconfig', () => connectionOfKubeconfig(kubeconfig));
  return {
    cluster: notCalled('eks:DescribeCluster', text),
    bootstrap: notCalled('cloudformation:DescribeStacks', text),
    deployment: notCalled('cloudformation:DescribeStacks', text),
    concurrency: notCalled('lambda:GetAccountSettings', text),
    durable: notCalled('lambda:ListDurableExecutionsByFunction', text),
    groups: notCalled('autoscaling:DescribeAutoScalingGroups', text),
    partlyTagged: notCalled('autoscaling:DescribeAutoScalingGroups', text),
    unpriced: notCalled('autoscaling:DescribeAutoScalingGroups', text),
    untainted: notCalled('autoscaling:DescribeAutoScalingGroups', text),
    nodeGroups: [],
    ...(await readClusterApi(settings, connection, notCalled('eks:DescribeCluster', text), now)),
    kubernetes: await readKubernetes(connection, settings, false),
  };
}

/** The clients for the two accounts, and whether that of the cluster can be read. */
interface OpenAccounts {
  readonly clients: DoctorClients;
  readonly own: ClientSettings;
  readonly session: Fact<unknown>;
}

async function readAll(
  { clients, own, session }: OpenAccounts,
  settings: DoctorSettings,
  sources: Sources,
): Promise<Read> {
  const { autoScaling, cloudFormation, eks, lambda } = clients;
  const { cluster: name, role } = settings;
  const discovery = discoveryOf(settings);
  const inItsAccount = async <T>(call: string, read: () => Promise<T>): Promise<Fact<T>> =>
    session.ok ? await factOf(call, read) : notCalled(call, `the role ${role?.arn ?? ''} was not assumed`);
  const [cluster, bootstrap, deployment, concurrency, durable, groups, partlyTagged] = await Promise.all([
    inItsAccount('eks:DescribeCluster', () => readEksCluster(eks, name)),
    factOf('cloudformation:DescribeStacks', () => readStackNow(cloudFormation, BOOTSTRAP_STACK)),
    factOf('cloudformation:DescribeStacks', () => readStackNow(cloudFormation, stackNameOf(name))),
    factOf('lambda:GetAccountSettings', () => readConcurrency(lambda)),
    factOf('lambda:ListDurableExecutionsByFunction', () => readDurable(lambda)),
    inItsAccount('autoscaling:DescribeAutoScalingGroups', () => listGroups(autoScaling, discovery)),
    inItsAccount('autoscaling:DescribeAutoScalingGroups', () => readPartlyTagged(autoScaling, name, discovery)),
  ]);
  const asRole = role !== null && sources.kubeconfig === null;
  const connection = connectionTo(eks, name, cluster, sources);
  const [unpriced, untainted, nodeGroups, kubernetes, ofClusterApi] = await Promise.all([
    inItsAccount('prices', () => readUnpriced(settings, clients, own.region, sources.now)),
    inItsAccount('launch templates', () => readUntainted(settings, clients, groups)),
    readNodeGroups(eks, factOr(groups, []), settings.options),
    connection.then((its) => readKubernetes(its, settings, asRole)),
    connection.then((its) => readClusterApi(settings, its, ok(own), sources.now)),
  ]);
  return {
    cluster,
    bootstrap,
    deployment,
    concurrency,
    durable,
    groups,
    partlyTagged,
    unpriced,
    untainted,
    nodeGroups,
    kubernetes,
    ...ofClusterApi,
  };
}

async function connectionTo(
  eks: DoctorClients['eks'],
  name: string,
  cluster: Fact<EksCluster | null>,
  { kubeconfig }: Sources,
): Promise<Fact<Connection>> {
  if (kubeconfig !== null) {
    return await factOf('kubeconfig', () => connectionOfKubeconfig(kubeconfig));
  }
  if (!cluster.ok) {
    return notCalled('API server', 'the cluster could not be described');
  }
  if (cluster.value === null) {
    return notCalled('API server', `there is no cluster ${name}`);
  }
  return await factOf('API server', () => connectionOfEksCluster(eks, name));
}

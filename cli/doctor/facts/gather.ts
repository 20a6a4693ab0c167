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
  readNodeGroups,
} from './aws.ts';
import { readClusterApi } from './cluster-api.ts';
import { type Fact, factOf, factOr, notCalled } from './fact.ts';
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
    const missing = notCalled('region', region.error.text);
    return { now, settings, region, session: missing, ...(await readAll(missing, missing, settings, sources)) };
  }
  const own = {
    region: region.value,
    ...present({ endpoint, credentials }),
  };
  const session = await factOf('sts:AssumeRole', () => sessionFor(settings, own));
  const clients = createDoctorClients(own, factOr(session, null));
  try {
    return { now, settings, region, session, ...(await readAll(ok({ clients, own }), session, settings, sources)) };
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

/** The clients for the two accounts. */
interface OpenAccounts {
  readonly clients: DoctorClients;
  readonly own: ClientSettings;
}

/** @param session whether the account of the cluster can be read */
async function readAll(
  accounts: Fact<OpenAccounts>,
  session: Fact<unknown>,
  settings: DoctorSettings,
  sources: Sources,
): Promise<Omit<Facts, 'now' | 'settings' | 'region' | 'session'>> {
  const { cluster: name, role } = settings;
  const discovery = discoveryOf(settings);
  const inOwnAccount = async <T>(call: string, read: (open: DoctorClients, own: ClientSettings) => Promise<T>) =>
    accounts.ok
      ? await factOf(call, () => read(accounts.value.clients, accounts.value.own))
      : notCalled(call, accounts.error.text);
  const inItsAccount: typeof inOwnAccount = async (call, read) =>
    session.ok || !accounts.ok
      ? await inOwnAccount(call, read)
      : notCalled(call, `the role ${role?.arn ?? ''} was not assumed`);
  const stack = (of: string) =>
    inOwnAccount('cloudformation:DescribeStacks', ({ cloudFormation }) => readStackNow(cloudFormation, of));
  const [cluster, bootstrap, deployment, concurrency, groups, partlyTagged] = await Promise.all([
    inItsAccount('eks:DescribeCluster', ({ eks }) => readEksCluster(eks, name)),
    stack(BOOTSTRAP_STACK),
    stack(stackNameOf(name)),
    inOwnAccount('lambda:GetAccountSettings', ({ lambda }) => readConcurrency(lambda)),
    inItsAccount('autoscaling:DescribeAutoScalingGroups', ({ autoScaling }) => listGroups(autoScaling, discovery)),
    inItsAccount('autoscaling:DescribeAutoScalingGroups', ({ autoScaling }) =>
      readPartlyTagged(autoScaling, name, discovery),
    ),
  ]);
  const asRole = role !== null && sources.kubeconfig === null && accounts.ok;
  const connection = connectionTo(accounts, name, cluster, sources);
  const clientSettings = accounts.ok ? ok(accounts.value.own) : accounts;
  const [unpriced, untainted, nodeGroups, kubernetes, ofClusterApi] = await Promise.all([
    inItsAccount('prices', (clients, { region }) =>
      readUnpriced(settings, clients, groups, { region, now: sources.now }),
    ),
    inItsAccount('launch templates', (clients) => readUntainted(settings, clients, groups)),
    accounts.ok ? readNodeGroups(accounts.value.clients.eks, factOr(groups, []), settings.options) : [],
    connection.then((its) => readKubernetes(its, settings, asRole)),
    connection.then((its) => readClusterApi(settings, its, clientSettings, sources.now)),
  ]);
  return {
    cluster,
    bootstrap,
    deployment,
    concurrency,
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
  accounts: Fact<OpenAccounts>,
  name: string,
  cluster: Fact<EksCluster | null>,
  { kubeconfig }: Sources,
): Promise<Fact<Connection>> {
  if (kubeconfig !== null) {
    return await factOf('kubeconfig', () => connectionOfKubeconfig(kubeconfig));
  }
  if (!accounts.ok) {
    return notCalled('API server', accounts.error.text);
  }
  if (!cluster.ok) {
    return notCalled('API server', 'the cluster could not be described');
  }
  if (cluster.value === null) {
    return notCalled('API server', `there is no cluster ${name}`);
  }
  return await factOf('API server', () => connectionOfEksCluster(accounts.value.clients.eks, name));
}

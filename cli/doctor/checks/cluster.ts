import type { EksCluster, Facts } from '../facts/facts.ts';
import { type Check, failure, type Finding, known, ofCluster, passed, regionOf, some, warning } from './check.ts';

/** `matchConditions` of webhooks are stable since. */
const OLDEST_VERSION = 30;

const CLUSTER: Check = {
  id: 'cluster',
  title: 'EKS cluster',
  rule: `The cluster exists, is ACTIVE (warns while UPDATING), and has Kubernetes 1.${OLDEST_VERSION} or later. Fails otherwise; an older version warns where \`webhook\` is \`none\`.`,
  why: `The webhook filters events by matchConditions, which API servers before 1.${OLDEST_VERSION} do not have: every event of the cluster would be sent.`,
  judge: (facts) =>
    known(facts.cluster, (cluster) => {
      if (cluster !== null) {
        return judgeCluster(facts, cluster);
      }
      return failure(
        `There is no cluster ${facts.settings.cluster} in ${regionOf(facts)}.`,
        'Check the name and the region:',
        `aws eks list-clusters --region ${regionOf(facts)}`,
      );
    }),
};

function judgeCluster(facts: Facts, { status, version }: EksCluster): Finding {
  const { cluster: name, webhook } = facts.settings;
  const region = regionOf(facts);
  const [major, minor] = version.split('.').map(Number);
  const untilActive = [
    'Wait until it is ACTIVE:',
    `aws eks wait cluster-active --name ${name} --region ${region}`,
  ] as const;
  if (status !== 'ACTIVE' && status !== 'UPDATING') {
    return failure(`The cluster is ${status}.`, ...untilActive);
  }
  if (major === 1 && minor !== undefined && minor < OLDEST_VERSION) {
    const found = `The cluster has Kubernetes ${version}.`;
    if (webhook === 'none') {
      return warning(found, 'Keep webhook: none until it is updated, one minor version at a time.');
    }
    return failure(
      found,
      'Update it, one minor version at a time, or set webhook: none.',
      `aws eks update-cluster-version --name ${name} --region ${region} --kubernetes-version 1.${minor + 1}`,
    );
  }
  if (status === 'UPDATING') {
    return warning(`The cluster is UPDATING, with Kubernetes ${version}.`, ...untilActive);
  }
  return passed(`ACTIVE, with Kubernetes ${version}.`);
}

const AUTHENTICATION: Check = {
  id: 'authentication-mode',
  title: 'Authentication mode',
  rule: 'API or API_AND_CONFIG_MAP. Fails with CONFIG_MAP.',
  why: 'The functions authenticate to the cluster through access entries. With CONFIG_MAP their creation fails, and the stack is rolled back.',
  judge: (facts) =>
    ofCluster(facts, ({ authenticationMode: mode }) => {
      if (mode !== 'CONFIG_MAP') {
        return passed(`${mode}.`);
      }
      return failure(
        'The mode is CONFIG_MAP: the cluster has no access entries.',
        'Allow both. The entries of aws-auth stay valid; the change cannot be undone:',
        `aws eks update-cluster-config --name ${facts.settings.cluster} --region ${regionOf(facts)} --access-config authenticationMode=API_AND_CONFIG_MAP`,
      );
    }),
};

const ENDPOINT: Check = {
  id: 'endpoint-access',
  title: 'Endpoint access',
  rule: 'Without the setting `vpc`: the endpoint is public, for 0.0.0.0/0. With it: the endpoint is private, or public for the addresses of the NAT gateways (warns, as these are not checked). Fails otherwise.',
  why: 'Functions outside a VPC have no fixed address. If the endpoint refuses them, nothing is ever evaluated.',
  judge: (facts) =>
    ofCluster(facts, (cluster) => (facts.settings.vpc === null ? outsideVpc(facts, cluster) : insideVpc(cluster))),
};

const isOpen = (cidrs: readonly string[]): boolean => cidrs.includes('0.0.0.0/0');

function outsideVpc(facts: Facts, cluster: EksCluster): Finding {
  if (cluster.publicAccess && isOpen(cluster.publicCidrs)) {
    return passed('Public, from every address.');
  }
  const found = cluster.publicAccess
    ? `Public, but only from ${some(cluster.publicCidrs)}.`
    : 'Private: it cannot be reached from outside the VPC of the cluster.';
  const lines = [
    'vpc:',
    `  vpcId: ${cluster.vpcId || 'vpc-…'}`,
    `  subnetIds: [${cluster.subnetIds.join(', ')}]`,
    `  securityGroupIds: [${cluster.securityGroupId || 'sg-…'}]`,
  ];
  if (!cluster.privateAccess) {
    lines.push(
      `aws eks update-cluster-config --name ${facts.settings.cluster} --region ${regionOf(facts)} --resources-vpc-config endpointPrivateAccess=true`,
    );
  }
  return failure(
    found,
    'Run the functions in the VPC of the cluster. In outrigger.config.yaml, with subnets that have a NAT gateway or endpoints of the AWS services:',
    ...lines,
  );
}

function insideVpc(cluster: EksCluster): Finding {
  if (cluster.privateAccess) {
    return passed('Private, and the functions are in a VPC.');
  }
  if (isOpen(cluster.publicCidrs)) {
    return passed('Public, from every address; functions in a VPC reach it through a NAT gateway.');
  }
  return warning(
    `Public only, from ${some(cluster.publicCidrs)}: functions in a VPC come from the address of its NAT gateway.`,
    'Turn the private endpoint on, or make sure that the addresses of the NAT gateways are among these.',
  );
}

const EGRESS: Check = {
  id: 'control-plane-egress',
  title: 'Control plane egress',
  rule: 'AWS_MANAGED, or `webhook` is `none`. Warns with CUSTOMER_ROUTED and CUSTOMER_ISOLATED.',
  why: 'The control plane sends webhook notifications over the internet. Without a route, only the scheduled evaluation finds pods without a node, and no error is reported.',
  judge: (facts) =>
    ofCluster(facts, ({ egress }) => {
      if (egress === 'AWS_MANAGED') {
        return passed('AWS_MANAGED.');
      }
      if (facts.settings.webhook === 'none') {
        return passed(`${egress}, and webhook: none.`);
      }
      if (egress === 'CUSTOMER_ROUTED') {
        return warning(
          'CUSTOMER_ROUTED: webhooks are called through the subnets of the cluster.',
          'Make sure that these subnets have a route to a NAT gateway, or do without webhook notifications. In outrigger.config.yaml:',
          'webhook: none',
        );
      }
      return warning(
        `${egress}: the control plane reaches nothing outside its VPC.`,
        'Do without webhook notifications. In outrigger.config.yaml:',
        'webhook: none',
      );
    }),
};

/** The checks of the EKS cluster, in the order in which they are shown. */
export const CLUSTER_CHECKS: readonly Check[] = [CLUSTER, AUTHENTICATION, ENDPOINT, EGRESS];

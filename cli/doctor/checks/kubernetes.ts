import { stackNameOf } from '../../../config/stack-names.ts';
import { urlInOutput } from '../../install/cluster/webhook.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { webhookName } from '@outrigger/providers/kubernetes/manifests/webhook.ts';
import { hashOfToken } from '@outrigger/providers/kubernetes/webhook-token.ts';
import { factOr } from '../facts/fact.ts';
import type { Facts, ManagementFacts, Permission, Stack } from '../facts/facts.ts';
import {
  type Check,
  failure,
  type Finding,
  known,
  notKnown,
  passed,
  passedIfNone,
  regionOf,
  some,
  warning,
} from './check.ts';

export const API_SERVER: Check = {
  id: 'api-server',
  title: 'Kubernetes API',
  rule: 'The API server can be reached, accepts the user, and is the one of the cluster. Warns otherwise; unknown without a connection.',
  why: 'The checks of the objects in the cluster need it, and so do outrigger local and kubectl apply of the RBAC and the webhook.',
  judge: (facts) => {
    const { permissions, server } = facts.kubernetes;
    if (!permissions.ok && permissions.error.reason === 'unauthenticated') {
      return warning(
        `The API server does not accept the user: ${permissions.error.text}`,
        'Give the user an access entry, or use the kubeconfig of another user (--kubeconfig, --context):',
        `aws eks create-access-entry --cluster-name ${facts.settings.cluster} --region ${regionOf(facts)} --principal-arn ARN`,
      );
    }
    if (!permissions.ok && permissions.error.reason === 'no answer') {
      return warning(
        `The API server does not answer: ${permissions.error.text}`,
        'Run this where the endpoint of the cluster can be reached: in its VPC, or from an address among its publicAccessCidrs.',
      );
    }
    return known(permissions, () => sameServer(facts, server ?? ''));
  },
};

function sameServer({ cluster, settings }: Facts, server: string): Finding {
  const host = (url: string): string => (URL.canParse(url) ? new URL(url).host.toLowerCase() : url);
  const expected = mapOptional(factOr(cluster, null)?.endpoint, host) ?? host(server);
  if (expected !== host(server)) {
    return warning(
      `The kubeconfig points to ${host(server)}, and cluster ${settings.cluster} is at ${expected}.`,
      'Choose another context, unless this is another address of the same cluster:',
      'kubectl config get-contexts',
    );
  }
  return passed(`${expected} answers.`);
}

export const RBAC: Check = {
  id: 'kubernetes-permissions',
  title: 'Permissions in Kubernetes',
  rule: 'The user has the rights of `outrigger local` (with `clusterApi` also on its resources, in their cluster), and may apply the RBAC and webhook; with `role` and without a kubeconfig, the role may do what the functions do. Warns otherwise.',
  why: 'The functions on AWS have roles of their own; outrigger local and kubectl run with the permissions of the user.',
  judge: (facts) => {
    const inCluster = known(facts.kubernetes.permissions, (permissions) => judgePermissions(facts, permissions));
    const { management } = facts;
    if (management === null || inCluster.status !== 'ok') {
      // Problems in the cluster itself come first.
      return inCluster;
    }
    return known(management.permissions, (permissions) =>
      passedIfNone(lackingIn(permissions), inCluster.found, (lacking) => inManagement(management, lacking)),
    );
  },
};

function judgePermissions(facts: Facts, permissions: readonly Permission[]): Finding {
  if (facts.kubernetes.asRole) {
    return passedIfNone(lackingIn(permissions), 'The role has all that the functions need.', (lacking) =>
      warning(
        `The role lacks: ${some(lacking, 20)}.`,
        'Deploy the stack, then run its output RoleAccessEntry and apply its output Rbac:',
        outputsOf(facts),
      ),
    );
  }
  const found = NEEDS.map(([need, command]) => ({
    command,
    lacking: lackingIn(permissions.filter(({ neededBy }) => neededBy === need)),
  })).filter(({ lacking }) => lacking.length > 0);
  return passedIfNone(found, 'All that outrigger local and the manifests of a deployment need.', () =>
    warning(
      found.map(({ command, lacking }) => `${command} lacks: ${some(lacking, 20)}.`).join(' '),
      'Grant them if you use either; to a user with an access entry:',
      `aws eks associate-access-policy --cluster-name ${facts.settings.cluster} --region ${regionOf(facts)} --principal-arn ARN --access-scope type=cluster --policy-arn arn:${partitionOf(facts)}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`,
    ),
  );
}

/** The commands that need permissions of the user. */
const NEEDS: readonly (readonly [Permission['neededBy'], string])[] = [
  ['local', 'outrigger local'],
  ['deployment', 'kubectl apply for a deployment'],
];

const lackingIn = (permissions: readonly Permission[]): readonly string[] =>
  permissions.filter(({ allowed }) => !allowed).map(({ request }) => request);

/** The finding of rights that are lacking in the management cluster: of the user, or of the role that the functions assume. */
function inManagement({ name, asRole }: ManagementFacts, lacking: readonly string[]): Finding {
  if (asRole) {
    return warning(
      `In management cluster ${name}, the role lacks: ${some(lacking, 20)}.`,
      'Deploy the stack, then apply its output ManagementRbac there and run its output ManagementAccessEntries.',
    );
  }
  return warning(
    `In management cluster ${name}, outrigger local lacks: ${some(lacking, 20)}.`,
    'Grant them there if you use outrigger local; the functions have the roles of the output ManagementRbac.',
  );
}

const outputsOf = (facts: Facts): string =>
  `aws cloudformation describe-stacks --region ${regionOf(facts)} --stack-name ${stackNameOf(facts.settings.cluster)} --query "Stacks[0].Outputs"`;

/** The partition of the cluster, which is also that of its access policies. */
const partitionOf = ({ cluster }: Facts): string => factOr(cluster, null)?.partition ?? 'aws';

export const WEBHOOK: Check = {
  id: 'webhook',
  title: 'Webhook',
  rule: 'With a deployed stack: present, with its address and a token that it accepts in each of its URLs (absent warns, another address or token fails). Without one, or with `webhook: none`: absent (warns otherwise).',
  why: 'Without it, only the scheduled evaluation finds pods without a node; a webhook to another address notifies a deployment that may not exist any more, and one with another token is not listened to.',
  judge: (facts) =>
    known(facts.kubernetes.webhook, (urls) =>
      known(facts.deployment, (stack) => {
        if (stack === null) {
          return withoutDeployment(
            facts,
            urls,
            'no stack of Outrigger is deployed',
            'Absent; no stack of Outrigger is deployed yet.',
          );
        }
        if (facts.settings.webhook === 'none') {
          return withoutDeployment(facts, urls, 'webhook: none is set', 'Absent, as webhook: none is set.');
        }
        return ofDeployment(facts, urls, stack.outputs);
      }),
    ),
};

const nameOf = ({ settings }: Facts): string => webhookName(settings.cluster);

function withoutDeployment(facts: Facts, urls: readonly string[] | null, reason: string, absent: string): Finding {
  if (urls === null) {
    return passed(absent);
  }
  return warning(
    `${nameOf(facts)} exists, to ${hostOf(urls[0] ?? '')}, and ${reason}.`,
    'Delete it, unless a running outrigger local has installed it:',
    `kubectl delete validatingwebhookconfiguration ${nameOf(facts)}`,
  );
}

function ofDeployment(facts: Facts, urls: readonly string[] | null, outputs: Stack['outputs']): Finding {
  const apply = [
    'Make a token with npx outrigger token, deploy its hash, and apply the output Webhook of the stack with the token for each TOKEN:',
    outputsOf(facts),
  ] as const;
  if (urls === null) {
    return warning(`${nameOf(facts)} does not exist.`, ...apply);
  }
  const wanted = urlInOutput(outputs['Webhook']);
  if (wanted === null) {
    return notKnown(`It points to ${hostOf(urls[0] ?? '')}; the stack has no output with its own address.`);
  }
  const elsewhere = urls.find((url) => hostOf(url) !== hostOf(wanted));
  if (elsewhere !== undefined) {
    return failure(`It points to ${hostOf(elsewhere)}, and the deployment is at ${hostOf(wanted)}.`, ...apply);
  }
  // The output is absent where the deployment accepts no token.
  const accepted = (outputs['AcceptedTokenHashes'] ?? '').split(',');
  const found = `It points to the deployment, at ${hostOf(wanted)}, with a token that it`;
  if (urls.every((url) => accepted.includes(hashOfToken(tokenOf(url))))) {
    return passed(`${found} accepts.`);
  }
  return failure(`${found} does not accept.`, ...apply);
}

/** The first part of the path. */
const tokenOf = (url: string): string => new URL(url).pathname.split('/')[1] ?? '';

/** The path holds a token, and is not shown. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'no URL');

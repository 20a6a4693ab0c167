import { readClusters } from '../../cdk/settings.ts';
import { manifestSettings } from '../../config/manifest-settings.ts';
import { manifestsOf } from '../../providers/kubernetes/manifests/manifests.ts';
import { head, row } from './marked-tables.ts';
import { AWS_REASONS, GRANT_REASONS, type GrantReason, type Reason } from './permissions/aws-reasons.ts';
import { KUBERNETES_REASONS, type Rule } from './permissions/kubernetes-reasons.ts';
import { ADDING, type Grant, grantsIn, resourcesFor, type Right, rightsIn } from './permissions/template.ts';

/** A right, with the settings that it depends on. */
interface Listed extends Right {
  readonly where: string;
}

/** Every right that the roles have with any settings. */
export function allRights(): readonly Listed[] {
  const acting = rightsIn(resourcesFor({ mode: 'act' }));
  const observing = rightsIn(resourcesFor({ mode: 'observe' }));
  const added = Object.entries(ADDING).flatMap(([where, { settings }]) =>
    without(rightsIn(resourcesFor({ mode: 'act', ...settings })), acting).map((right) => ({ ...right, where })),
  );
  return [
    ...acting.map((right) => ({ ...right, where: isIn(right, observing) ? '' : 'mode: act' })),
    ...without(observing, acting).map((right) => ({ ...right, where: 'mode: observe' })),
    ...added,
  ];
}

const isIn = <T>(one: T, all: readonly T[]): boolean =>
  all.some((other) => JSON.stringify(other) === JSON.stringify(one));
const without = <T>(all: readonly T[], others: readonly T[]): readonly T[] => all.filter((one) => !isIn(one, others));

/** The reasons for a right: exactly one, unless the table lacks the right or lists it twice. */
export const reasonsOf = ({ role, action }: Pick<Right, 'role' | 'action'>): readonly Reason[] =>
  AWS_REASONS.filter(({ roles, actions }) => roles.includes(role) && actions.includes(action));

export interface KubernetesRight {
  readonly role: string;
  readonly resource: string;
  readonly verb: string;
}

/** Options that need additional rights. */
const OPTIONS = { plannedPlacement: true, incrementalReads: true };

/** Every right of the manifests' roles, those included that options take. */
export const kubernetesRights = (mode: 'act' | 'observe' = 'act'): readonly KubernetesRight[] =>
  manifestsOf(
    manifestSettings(readClusters([{ name: 'NAME', mode, clusterApi: {}, options: OPTIONS }])[0]!),
    null,
  ).flatMap((item) =>
    'rules' in item
      ? (item.rules as readonly KubernetesRule[]).flatMap(({ apiGroups, resources, verbs }) =>
          resources.flatMap((resource) =>
            verbs.map((verb) => ({
              role: item.metadata.name,
              resource: apiGroups[0] === '' ? resource : `${apiGroups[0]}/${resource}`,
              verb,
            })),
          ),
        )
      : [],
  );

interface KubernetesRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export const rulesOf = ({ role, resource, verb }: KubernetesRight): readonly Rule[] =>
  KUBERNETES_REASONS.filter(
    (rule) => rule.role === role && rule.resources.includes(resource) && rule.verbs.includes(verb),
  );

const code = (text: string): string => `\`${text}\``;

/** A table for each role: rights of one reason, one resource and one condition are a row. */
function roleTables(): string {
  const rights = allRights().filter((right) => !isCommon(right));
  const roles = [...new Set(rights.map(({ role }) => role))].toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  return roles.map((role) => `### ${role}\n\n${roleTable(rights.filter((right) => right.role === role))}`).join('\n\n');
}

const ORDER = ['Ingest', 'Wake', 'ScaleUp', 'ScaleDown', 'Actuate', 'Drain', 'Manifests', 'Widget', 'Messages'];

/** Rights of every function, which the page lists once. */
const isCommon = ({ action }: Right): boolean => /^(?:logs|xray):/.test(action);

const commonTable = (): string =>
  roleTable(
    allRights()
      .filter((right) => isCommon(right) && right.role === 'ScaleUp')
      .map((right) => ({ ...right, on: right.on.replace(/log group .*/, 'its own log group') })),
  );

function roleTable(rights: readonly Listed[]): string {
  const rows = Map.groupBy(rights, (right) =>
    [AWS_REASONS.indexOf(reasonsOf(right)[0]!), right.condition, right.where].join(' '),
  );
  return [
    ...head('Actions', 'On', 'Why', 'Without it'),
    ...[...rows.values()].map((same) => {
      const { on, condition, where } = same[0]!;
      const { why, without: lost } = reasonsOf(same[0]!)[0]!;
      const actions = [...new Set(same.map(({ action }) => code(action)))].join(', ');
      const places = [...new Set(same.map((one) => one.on))].join(', ');
      return row(
        `${actions}${where === '' ? '' : ` (with ${code(where)})`}`,
        `${same.length > 1 ? places : on}${condition === '' ? '' : `, ${condition}`}`,
        why,
        lost,
      );
    }),
  ].join('\n');
}

/** A statement of a resource's policy, with the setting that it depends on. */
interface ListedGrant extends Grant {
  readonly where: string;
}

/** Every statement of the policies of resources, with any settings. */
export function allGrants(): readonly ListedGrant[] {
  const usual = grantsIn(resourcesFor({ mode: 'act' }));
  const added = Object.entries(ADDING).flatMap(([where, { settings }]) =>
    without(grantsIn(resourcesFor({ mode: 'act', ...settings })), usual).map((grant) => ({ ...grant, where })),
  );
  return [...usual.map((grant) => ({ ...grant, where: '' })), ...added];
}

export const grantReasonsOf = ({ resource, action, where }: ListedGrant): readonly GrantReason[] =>
  GRANT_REASONS.filter(
    (reason) =>
      reason.resources.includes(resource) && reason.actions.includes(action) && (reason.where ?? '') === where,
  );

const grantTable = (): string =>
  [
    ...head('Resource', 'Effect', 'Actions', 'Principal', 'Why'),
    ...[
      ...Map.groupBy(allGrants(), (grant) =>
        JSON.stringify([grantReasonsOf(grant)[0]?.why, grant.to, grant.effect, grant.where]),
      ).values(),
    ].map((same) => {
      const { effect, to, where } = same[0]!;
      const places = [...new Set(same.map(({ resource }) => resource))].join(', ');
      const actions = [...new Set(same.map(({ action }) => code(action)))].join(', ');
      const setting = where === '' ? '' : ` (with ${code(where)})`;
      return row(places, effect, `${actions}${setting}`, to, grantReasonsOf(same[0]!)[0]!.why);
    }),
  ].join('\n');

const settingsTable = (): string =>
  [
    ...head('Setting', 'What it changes'),
    row(
      code('mode: act'),
      'The functions may change groups and nodes, create events and evict pods; with `mode: observe` none may, and the manifests grant no right to. Apply them again when the mode changes: `outrigger install` and `applyManifests: true` do.',
    ),
    ...Object.entries(ADDING).map(([setting, { why }]) => row(code(setting), why)),
  ].join('\n');

const kubernetesTable = (): string =>
  [
    ...head('Role', 'Verbs', 'Resources', 'Why', 'Without it'),
    ...KUBERNETES_REASONS.map((rule) => {
      const observing = kubernetesRights('observe').some((right) => rulesOf(right).includes(rule));
      const conditions = [...(observing ? [] : ['mode: act']), ...(rule.option === undefined ? [] : [rule.option])];
      const verbs = `${rule.verbs.join(', ')}${conditions.length === 0 ? '' : ` (with ${conditions.map(code).join(' and ')})`}`;
      return row(code(rule.role), verbs, rule.resources.map(code).join(', '), rule.why, rule.without);
    }),
  ].join('\n');

/**
 * The actions that `outrigger local` calls: those of all roles in services that it does not replace, except those of
 * Lambda itself.
 */
function localActions(where: (right: Listed) => boolean): string {
  const actions = allRights()
    .filter((right) => right.where !== 'vpc' && OF_THE_CLOUD.test(right.action) && where(right))
    .map(({ action }) => code(action));
  return [...new Set(actions)].toSorted().join(', ');
}

const OF_THE_CLOUD = /^(?:autoscaling|ec2|pricing):|^eks:DescribeNodegroup$/;
const CHANGES = /:(?:Set|Terminate)/;

/** The types of resources that CloudFormation creates, by service. */
function createdTypes(): string {
  const types = Object.values(resourcesFor({ mode: 'act' })).map(({ Type }) => Type.replace(/^AWS::/, ''));
  const services = Map.groupBy([...new Set(types)].toSorted(), (type) => type.split('::')[0]!);
  return [...services]
    .map(([service, of]) => `${service} (${of.map((type) => type.split('::')[1]!).join(', ')})`)
    .join(', ');
}

/** `docs/permissions.md`: every statement and every rule, with its reason. */
export const permissionsPage =
  (): string => `<!-- Written by \`npm run docs\` from scripts/docs/permissions and the stack. -->

# Permissions

Every right of Outrigger, the reason for it, and what does not work without this right. The rows come from the synthesized
stack of a cluster \`NAME\` and from the manifests; a right without a reason fails a test.

The roles of the functions may

* change the size of groups, and terminate instances, with the tag \`k8s.io/cluster-autoscaler/NAME\` alone, and only with
  \`mode: act\`;
* read and write the items of this cluster in the table, and no others;
* in the cluster, read what scheduling depends on, and with \`mode: act\` change nodes and create events. Only the function
  that drains may evict, with \`mode: act\` alone. None may read Secrets, delete objects other than machines of
  Cluster API (with \`clusterApi\` alone), or exec into pods.

That is so without \`applyManifests: true\`, which is off by default: with it, one more function has a role that is a cluster
administrator ([decision 24](decisions/0024-manifests-applied-by-the-stack.md)).

## Settings that change rights

Rights that depend on a setting of the [configuration](configuration.md) say so below. No other setting changes any, which is tested.

${settingsTable()}

## Roles in AWS

Roles can be assumed by Lambda alone, but for the role \`Messages\`, which is for EventBridge. Two conditions limit what is not limited by its ARN:

\`\`\`json policy
{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["dynamodb:Query", "dynamodb:PutItem"],
      "Resource": "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE",
      "Condition": { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["CLUSTER#NAME"] } }
    },
    {
      "Effect": "Allow",
      "Action": ["autoscaling:SetDesiredCapacity"],
      "Resource": "*",
      "Condition": { "Null": { "aws:ResourceTag/k8s.io/cluster-autoscaler/NAME": "false" } }
    }
  ]
}
\`\`\`

The first is \`items of CLUSTER#NAME\` below, the second \`groups with the tag\`.

### Every function

${commonTable()}

${roleTables()}

### Policies of resources

${grantTable()}

## Roles in the cluster

The access entries of the stack put the roles of \`ScaleUp\`, \`ScaleDown\` and \`Drain\` into the Kubernetes group \`outrigger\`.
With \`mode: act\`, the role of \`Drain\` is also in \`outrigger-drain\`. With \`clusterApi\` all these and that of \`Actuate\` are in
\`outrigger-cluster-api\`, and with \`mode: act\` those of \`Drain\` and \`Actuate\` in \`outrigger-machines\`. The manifests bind these
groups to roles of the same names, of which the last two exist with \`clusterApi\` alone, in the management cluster:

${kubernetesTable()}

With \`applyManifests: true\` one more access entry gives the role of \`Manifests\` the access policy
\`AmazonEKSClusterAdminPolicy\` for the whole cluster: it has every right there. It is called by CloudFormation when the stack is
created, changed or deleted, and applies the manifests of this page
([decision 24](decisions/0024-manifests-applied-by-the-stack.md)). With \`role\` the stack has no access entries: its output
\`RoleAccessEntry\` is the command for the one of that role.

## Installing

| Step | Rights |
|---|---|
| \`outrigger doctor\` | See [what it reads](doctor.md#what-it-reads). A denied call is reported, and the other checks are made. |
| \`cdk bootstrap\`, once in an account and region | Those of an administrator. |
| \`cdk deploy\` | \`sts:AssumeRole\` on the roles \`cdk-hnb659fds-*\` of the bootstrap stack. CloudFormation creates the resources with the execution role of the bootstrap stack, an administrator unless \`--cloudformation-execution-policies\` says otherwise. It creates: ${createdTypes()}. |
| \`outrigger install\` | All of these; \`cloudformation:DescribeStacks\`, \`DescribeStackEvents\`, \`ListStackResources\` and \`UpdateStack\` of the stack; \`logs:FilterLogEvents\` of the log of \`Ingest\`. In the cluster, for the webhook test, \`impersonate\` of the user \`system:kube-scheduler\`, and \`create\` and \`delete\` of events (not with \`--skip-webhook-test\`). From \`mode: act\` to \`mode: observe\`, those of \`uninstall\` about drains and nodes, and \`lambda:DeleteFunctionConcurrency\`. |
| \`outrigger uninstall\` | \`cloudformation:DeleteStack\` in addition to those of \`install\`; \`dynamodb:Query\`, \`DescribeTable\` and \`ListTagsOfResource\`, with \`--delete-table\` \`UpdateTable\`, \`DeleteTable\` and \`ListTables\`; and \`lambda:PutFunctionConcurrency\`. In the cluster, \`list\`, \`get\` and \`patch\` of nodes, and \`delete\` of the manifests. |
| Manifests | \`create\` and \`patch\` of ClusterRoles, ClusterRoleBindings and ValidatingWebhookConfigurations; of a Role and a RoleBinding in \`kube-system\` (or the option \`namespace\`); with \`flowSchema\` of a FlowSchema and a PriorityLevelConfiguration. Kubernetes lets users grant only rights that they have themselves: the group \`system:masters\`, the role \`cluster-admin\` or the access policy \`AmazonEKSClusterAdminPolicy\` is enough. |

## \`outrigger pause\`

\`outrigger pause\` and \`outrigger resume\` write the items of pauses and no others; DynamoDB has no condition for a sort key, so the right
is to all items of the cluster:

\`\`\`json policy
{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["dynamodb:Query", "dynamodb:PutItem", "dynamodb:DeleteItem"],
      "Resource": "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE",
      "Condition": { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["CLUSTER#NAME", "CLUSTER#NAME/dry-run"] } }
    },
    {
      "Effect": "Allow",
      "Action": ["cloudformation:ListStackResources"],
      "Resource": "arn:aws:cloudformation:REGION:ACCOUNT:stack/Outrigger-NAME/*"
    }
  ]
}
\`\`\`

\`dynamodb:DeleteItem\` is for \`outrigger resume\` alone. \`cloudformation:ListStackResources\` finds the table; with \`--table\` it is not
needed. The partition of a dry run is read to check \`--group\`. With \`kmsKeyArn\`, \`kms:Decrypt\` on that key is needed as well.

## \`outrigger planned-placement\`

\`outrigger planned-placement\` reads the items of the cluster in the table (\`dynamodb:Query\`, \`dynamodb:GetItem\`) and needs
\`autoscaling:DescribeAutoScalingGroups\`, \`ec2:DescribeLaunchTemplateVersions\` and \`eks:DescribeNodegroup\`. To change node groups
(\`--yes\`) it needs, for managed node groups, \`eks:UpdateNodegroupConfig\`; for others \`ec2:CreateLaunchTemplateVersion\`,
\`ec2:ModifyLaunchTemplate\` where the group launches from \`$Default\`, and \`autoscaling:UpdateAutoScalingGroup\`, \`ec2:RunInstances\` and \`iam:PassRole\` where it
names a version by number: Auto Scaling checks that the caller may launch.

## \`outrigger local\`

runs with the AWS credentials and the kubeconfig of the user. With \`--dry-run\`, and for \`outrigger snapshot\`, it needs

* in AWS: ${localActions(({ action }) => !CHANGES.test(action))} (\`pricing:GetProducts\` and \`ec2:DescribeSpotPriceHistory\` for decisions by prices; \`ec2:DescribeCapacityReservations\`, \`ec2:DescribeReservedInstances\` and both of \`savingsplans\` for the option \`reservedCapacity\`);
* in the cluster: the verbs \`list\` and \`get\` of the role \`outrigger\`.

Without \`--dry-run\` it also needs ${localActions(({ action }) => CHANGES.test(action))}; all of the roles \`outrigger\` and
\`outrigger-drain\`; and with \`--install-webhook\`, \`get\`, \`create\`, \`patch\` and \`delete\` of ValidatingWebhookConfigurations.
`;

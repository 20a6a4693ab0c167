import { rbac } from '../../providers/kubernetes/manifests/rbac.ts';
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
  const added = Object.entries(ADDING).flatMap(([where, settings]) =>
    without(rightsIn(resourcesFor({ mode: 'act', ...settings })), acting).map((right) => ({ ...right, where })),
  );
  return [
    ...acting.map((right) => ({ ...right, where: isIn(right, observing) ? '' : 'mode: act' })),
    ...without(observing, acting).map((right) => ({ ...right, where: 'mode: observe' })),
    ...added,
  ];
}

const isIn = (right: Right, rights: readonly Right[]): boolean =>
  rights.some((other) => JSON.stringify(other) === JSON.stringify(right));
const without = (rights: readonly Right[], others: readonly Right[]): readonly Right[] =>
  rights.filter((right) => !isIn(right, others));

/** The reasons of a right: there is one, unless the table lacks it or has it twice. */
export const reasonsOf = ({ role, action }: Pick<Right, 'role' | 'action'>): readonly Reason[] =>
  AWS_REASONS.filter(({ roles, actions }) => roles.includes(role) && actions.includes(action));

export interface KubernetesRight {
  readonly role: string;
  readonly resource: string;
  readonly verb: string;
}

/** Every right of the manifests' roles. */
export const kubernetesRights = (): readonly KubernetesRight[] =>
  rbac().items.flatMap((item) =>
    'rules' in item
      ? item.rules.flatMap(({ apiGroups, resources, verbs }: KubernetesRule) =>
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

const ORDER = ['Ingest', 'Wake', 'ScaleUp', 'ScaleDown', 'Actuate', 'Drain'];

/** What every function has: it is said once. */
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

/** Every statement of the policies of resources. */
export const allGrants = (): readonly Grant[] => grantsIn(resourcesFor({ mode: 'act' }));

export const grantReasonsOf = ({ resource, action }: Grant): readonly GrantReason[] =>
  GRANT_REASONS.filter(({ resources, actions }) => resources.includes(resource) && actions.includes(action));

const grantTable = (): string =>
  [
    ...head('Resource', 'Effect', 'Actions', 'Principal', 'Why'),
    ...[
      ...Map.groupBy(allGrants(), (grant) =>
        JSON.stringify([grantReasonsOf(grant)[0]?.why, grant.to, grant.effect]),
      ).values(),
    ].map((same) => {
      const { effect, to } = same[0]!;
      const places = [...new Set(same.map(({ resource }) => resource))].join(', ');
      const actions = [...new Set(same.map(({ action }) => code(action)))].join(', ');
      return row(places, effect, actions, to, grantReasonsOf(same[0]!)[0]!.why);
    }),
  ].join('\n');

const kubernetesTable = (): string =>
  [
    ...head('Role', 'Verbs', 'Resources', 'Why', 'Without it'),
    ...KUBERNETES_REASONS.map(({ role, verbs, resources, why, without: lost }) =>
      row(code(role), verbs.join(', '), resources.map(code).join(', '), why, lost),
    ),
  ].join('\n');

/** What `outrigger local` calls: the actions of all roles in services that it does not replace. */
function localActions(where: (right: Listed) => boolean): string {
  const actions = allRights()
    .filter((right) => /^(?:autoscaling|ec2|pricing):|^eks:DescribeNodegroup$/.test(right.action) && where(right))
    .map(({ action }) => code(action));
  return [...new Set(actions)].toSorted().join(', ');
}

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

Every right that Outrigger has, why it has it, and what does not work without it. The rows come from the synthesized
stack of a cluster \`NAME\` and from the manifests; a right without a reason fails a test.

The roles of the functions may

* change the size of groups, and terminate instances, with the tag \`k8s.io/cluster-autoscaler/NAME\` alone, and only with
  \`mode: act\`;
* read and write the items of this cluster in the table, and no others;
* in the cluster, read what scheduling depends on, change nodes and create events. Only the function that drains may
  evict. None may read Secrets, delete objects, or exec into pods.

## Roles in AWS

Rights that depend on a setting of the [configuration](configuration.md) say so. Roles can be assumed by
Lambda alone. Two conditions limit what is not limited by its ARN:

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

With \`webhook: httpApi\` it is \`apigateway.amazonaws.com\` that may invoke \`Ingest\`, for the one route of the HTTP API, and not
everyone; with \`webhook: none\` there is no such function.

## Roles in the cluster

The access entries of the stack put the roles of \`ScaleUp\`, \`ScaleDown\` and \`Drain\` into the Kubernetes group \`outrigger\`,
and with \`mode: act\` that of \`Drain\` into \`outrigger-drain\`. The manifests bind these groups to roles of the same names:

${kubernetesTable()}

## Installing

| Step | Rights |
|---|---|
| \`outrigger doctor\` | See [what it reads](doctor.md#what-it-reads). A denied call is reported, and the other checks are made. |
| \`cdk bootstrap\`, once in an account and region | Those of an administrator. |
| \`cdk deploy\` | \`sts:AssumeRole\` on the roles \`cdk-hnb659fds-*\` of the bootstrap stack. CloudFormation creates the resources with the execution role of the bootstrap stack, an administrator unless \`--cloudformation-execution-policies\` says otherwise. It creates: ${createdTypes()}. |
| \`outrigger install\` | All of these; \`cloudformation:DescribeStacks\`, \`DescribeStackEvents\`, \`ListStackResources\` and \`UpdateStack\` of the stack; \`logs:FilterLogEvents\` of the log of \`Ingest\`. In the cluster, for the trial of the webhook, \`impersonate\` of the user \`system:kube-scheduler\`, and \`create\` and \`delete\` of events (\`--no-ring\` leaves it out). |
| \`outrigger uninstall\` | \`cloudformation:DeleteStack\` beside those of \`install\`; \`dynamodb:Query\`, \`DescribeTable\` and \`ListTagsOfResource\`, with \`--delete-table\` \`UpdateTable\`, \`DeleteTable\` and \`ListTables\`; \`lambda:ListDurableExecutionsByFunction\` and \`StopDurableExecution\`, with \`drains: schedule\` \`PutFunctionConcurrency\`. In the cluster, \`list\`, \`get\` and \`patch\` of nodes, and \`delete\` of the manifests. |
| Manifests | \`create\` and \`patch\` of ClusterRoles, ClusterRoleBindings, a Role and a RoleBinding in \`kube-system\` (or the option \`namespace\`), ValidatingWebhookConfigurations, and with \`flowSchema\` a FlowSchema and a PriorityLevelConfiguration. Kubernetes lets users grant only rights that they have themselves: the group \`system:masters\`, the role \`cluster-admin\` or the access policy \`AmazonEKSClusterAdminPolicy\` is enough. |

## \`outrigger local\`

runs with the AWS credentials and the kubeconfig of the user. With \`--dry-run\`, and for \`outrigger snapshot\`, it needs

* in AWS: ${localActions(({ action }) => !CHANGES.test(action))} (\`pricing:GetProducts\` and \`ec2:DescribeSpotPriceHistory\` for the expander \`price\` alone);
* in the cluster: the verbs \`list\` and \`get\` of the role \`outrigger\`.

Without \`--dry-run\` it also needs ${localActions(({ action }) => CHANGES.test(action))}; all of the roles \`outrigger\` and
\`outrigger-drain\`; and with \`--install-webhook\`, \`get\`, \`create\`, \`patch\` and \`delete\` of ValidatingWebhookConfigurations.
`;

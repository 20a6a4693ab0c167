import { CHECKS } from '../../cli/doctor/checks/checks.ts';
import { head, row } from './marked-tables.ts';

/** `docs/doctor.md`: every check of `outrigger doctor`. */
export const doctorPage = (): string => `<!-- Written by \`npm run docs\` from cli/doctor/checks. -->

# Checks before a deployment

\`\`\`sh account
npx outrigger doctor --cluster NAME --region REGION
npx outrigger doctor --cluster NAME --config outrigger.config.yaml -o json
\`\`\`

checks an AWS account and a cluster with the permissions of the user who runs it, and changes nothing. It uses the settings of the
cluster in the [configuration](configuration.md), where there are any: some findings depend on \`mode\`, \`vpc\`, \`webhook\`,
\`discovery\` and \`reservedConcurrency\`. The API server is read with the AWS credentials, as \`aws eks get-token\` would; with
\`--kubeconfig\` or \`--context\`, with the kubeconfig. With \`role\`, the cluster and its groups are read by that role, and the stack
with your own credentials; \`--no-role\` reads all with these.

Each check has one of four results. Failures and warnings have a reason, and the command or the setting that corrects them.

${[
  ...head('Result', 'Meaning'),
  row('ok', 'Nothing needs to be done.'),
  row('warn', 'A deployment works, but not as well as it could.'),
  row('fail', 'Blocking: the deployment would fail, or could harm the cluster.'),
  row(
    'unknown',
    'The check could not be made: a call was denied, or had no answer. The other checks are made all the same.',
  ),
].join('\n')}

The exit code is 0 where no check failed, 1 where one did, and 2 where the command line or the configuration is invalid.

## Checks

${[...head('Check', 'Name in JSON', 'Rule', 'Reason'), ...CHECKS.map(({ id, title, rule, why }) => row(title, `\`${id}\``, rule, why))].join('\n')}

## What it reads

* AWS: \`sts:AssumeRole\` (with \`role\`), \`eks:DescribeCluster\`, \`eks:DescribeNodegroup\`, \`autoscaling:DescribeAutoScalingGroups\` and
  \`lambda:GetAccountSettings\`; and \`cloudformation:DescribeStacks\` of the bootstrap stack and of the stack of the cluster.
* Kubernetes: nodes, Deployments, NodePools of Karpenter, CapacityQuotas, the ConfigMap \`cluster-autoscaler-status\` and the webhook
  of the cluster; and SelfSubjectAccessReviews, which are answered and not kept.
`;

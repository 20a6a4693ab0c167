import { present } from '@outrigger/core/model/values/present.ts';
import { mapOptional, textIf, presentItems } from '@outrigger/core/model/values/optional.ts';
import { lastItem } from '@outrigger/core/model/values/existing.ts';
import { stringify } from 'yaml';
import { SCHEDULES_PARAMETER, stackNameOf, TOKEN_HASHES_PARAMETER } from '../../config/stack-names.ts';
import type { ClusterConfig } from '../../config/schema.ts';
import { FILL_TAINTS } from '@outrigger/core/model/cluster/fill-taints.ts';
import { DELETION_CANDIDATE_TAINT } from '@outrigger/core/model/cluster/node.ts';
import { manifestsOf, removableManifests } from '@outrigger/providers/kubernetes/manifests/manifests.ts';
import type { KubernetesObject } from '@outrigger/providers/kubernetes/manifests/object.ts';
import { jsonText } from '../terminal/json-text.ts';
import { manifestSettingsOf } from './place.ts';

/** A step as it is done by hand: commands, and their purpose. */
export interface PrintedStep {
  readonly title: string;
  readonly commands: readonly string[];
}

/** The cluster that steps are for. */
export interface PrintedFor {
  readonly config: ClusterConfig;
  /** `null`: that of the AWS environment. */
  readonly region: string | null;
  /** The command that deploys the stack, without parameters. */
  readonly deploy: string;
}

/** As an option of `aws` and `outrigger`; a region of `null` is that of the AWS environment. */
const regionOption = (region: string | null): string => mapOptional(region, (name) => ` --region ${name}`) ?? '';

/** The steps of `outrigger install`, as commands. HASH, TOKEN and ADDRESS stand for values that are known only then. */
export function installSteps({ config, region, deploy: whole }: PrintedFor): readonly PrintedStep[] {
  const { name, role, webhook, webhookTokenHashes, applyManifests } = config;
  const at = regionOption(region);
  const stack = stackNameOf(name);
  const check = {
    title: 'Check the account and the cluster',
    commands: [`npx outrigger doctor --cluster ${name}${at}`],
  };
  if (applyManifests && role === null) {
    const title = 'Deploy the stack, which applies RBAC and webhook itself (applyManifests: true)';
    return [check, { title, commands: [whole] }];
  }
  const deploy = `${whole} --parameters ${SCHEDULES_PARAMETER}=`;
  const steps: PrintedStep[] = [check];
  let firstDeploy = `${deploy}DISABLED`;
  if (webhook !== 'none' && !applyManifests && webhookTokenHashes === null) {
    steps.push({
      title:
        'Make a token for the webhook: TOKEN goes into the manifest below wherever it is named, HASH into the stack',
      commands: ['npx outrigger token'],
    });
    firstDeploy += ` --parameters ${TOKEN_HASHES_PARAMETER}=HASH`;
  }
  steps.push({ title: 'Deploy the stack with its schedules off', commands: [firstDeploy] });
  if (role !== null) {
    steps.push(...roleSteps(stack, at, role));
  }
  if (!applyManifests) {
    steps.push({
      title: applyTitle(config),
      commands: ['kubectl apply --server-side --field-manager=outrigger --force-conflicts -f outrigger.yaml'],
    });
  }
  return [...steps, { title: 'Switch the schedules on', commands: [`${deploy}ENABLED`] }];
}

function applyTitle({ webhook, webhookTokenHashes }: ClusterConfig): string {
  if (webhook === 'none') {
    return 'Apply the manifests';
  }
  const known = textIf(webhookTokenHashes !== null, ' of webhookTokenHashes');
  return `Replace each ADDRESS by that of the stack’s output Webhook, each TOKEN by the token${known}, and apply the manifests`;
}

/**
 * The commands for the role in the account of the cluster, from outputs of the stack: TRUST and PERMISSIONS are files
 * with two of them.
 */
const roleSteps = (stack: string, at: string, role: string): readonly PrintedStep[] => {
  const [, ...parts] = role.split('/');
  const name = lastItem(parts);
  const of = textIf(parts.length > 1, ` --path /${parts.slice(0, -1).join('/')}/`);
  return [
    {
      title: 'Read the outputs RoleTrust, RolePermissions and RoleAccessEntry',
      commands: [`aws cloudformation describe-stacks${at} --stack-name ${stack} --query "Stacks[0].Outputs"`],
    },
    {
      title: `With credentials of the account of the cluster, make the role ${role} from the first two, and run the third`,
      commands: [
        `aws iam create-role${of} --role-name ${name} --assume-role-policy-document file://TRUST`,
        `aws iam put-role-policy --role-name ${name} --policy-name outrigger --policy-document file://PERMISSIONS`,
      ],
    },
  ];
};

/** The steps of `outrigger uninstall`, as commands. TABLE and BUCKET stand for the names of table and bucket. */
export function uninstallSteps({ config, region, deploy }: PrintedFor): readonly PrintedStep[] {
  const at = regionOption(region);
  const stack = stackNameOf(config.name);
  const alike = Map.groupBy(removableManifests(manifestSettingsOf(config)), deletionCommand);
  const commands = [...alike].map(([command, of]) => [command, ...of.map(({ metadata }) => metadata.name)].join(' '));
  return presentItems([
    {
      title: 'Switch the schedules off',
      commands: [`${deploy} --parameters ${SCHEDULES_PARAMETER}=DISABLED`],
    },
    { title: 'Remove the webhook', commands: commands.slice(0, 1) },
    {
      title: 'Wait until no node has the taint ToBeDeletedByClusterAutoscaler, then take off the soft taints',
      commands: [
        `for taint in ${[DELETION_CANDIDATE_TAINT, ...FILL_TAINTS.map(({ key }) => key)].join(' ')}; do kubectl taint nodes --all $taint-; done`,
      ],
    },
    // Otherwise the stack removes what it has applied.
    !config.applyManifests && { title: 'Remove RBAC', commands: commands.slice(1) },
    {
      title: 'Delete the stack',
      commands: [`aws cloudformation delete-stack${at} --stack-name ${stack}`],
    },
    mapOptional(config.role, (role) => withoutRole(config.name, at, role)),
    {
      title: 'Delete the table of the state, which outlives the stack, if nothing of it is needed any more',
      commands: [
        `aws dynamodb update-table${at} --table-name TABLE --no-deletion-protection-enabled`,
        `aws dynamodb delete-table${at} --table-name TABLE`,
      ],
    },
    config.snapshots && {
      title: 'Delete the bucket of snapshots, which outlives the stack, and is empty after two days',
      commands: [`aws s3 rb${at} --force s3://BUCKET`],
    },
  ]);
}

const deletionCommand = ({ kind, metadata: { namespace } }: KubernetesObject): string =>
  `kubectl delete --ignore-not-found${mapOptional(namespace, (name) => ` --namespace ${name}`) ?? ''} ${kind.toLowerCase()}`;

const withoutRole = (cluster: string, at: string, role: string): PrintedStep => {
  const name = lastItem(role.split('/'));
  return {
    title: `With credentials of the account of the cluster, delete the role ${role}`,
    commands: [
      `aws eks delete-access-entry${at} --cluster-name ${cluster} --principal-arn ${role}`,
      `aws iam delete-role-policy --role-name ${name} --policy-name outrigger`,
      `aws iam delete-role --role-name ${name}`,
    ],
  };
};

/** The address of a webhook whose function is not deployed yet. */
const ADDRESS = 'https://ADDRESS/TOKEN';

/** The steps as comments of a shell, and of YAML. */
const printedSteps = (steps: readonly PrintedStep[]): string =>
  steps
    .flatMap(({ title, commands }, index) => [
      `# ${index + 1}. ${title}:`,
      ...commands.map((command) => `#      ${command}`),
    ])
    .map((line) => `${line}\n`)
    .join('');

/** The objects that are applied by hand, with placeholders in the address of the webhook. */
function manifestsIn(config: ClusterConfig): readonly KubernetesObject[] {
  if (config.applyManifests) {
    return [];
  }
  const address = config.webhook === 'none' ? null : `${ADDRESS}/${config.name}`;
  return manifestsOf(manifestSettingsOf(config), address);
}

/**
 * The steps, with the manifests as YAML for `kubectl apply` or for a repository that is applied; or all of it in JSON.
 *
 * @param config of the manifests; `null`: the steps alone
 */
export function printedDocument(
  steps: readonly PrintedStep[],
  config: ClusterConfig | null,
  output: 'text' | 'json',
): string {
  const manifests = mapOptional(config, manifestsIn);
  if (output === 'json') {
    return jsonText({ steps, ...present({ manifests }) });
  }
  return [printedSteps(steps), ...(manifests ?? []).map((object) => stringify(object))].join('---\n');
}

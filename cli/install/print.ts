import { stringify } from 'yaml';
import { SCHEDULES_PARAMETER, stackNameOf, TOKEN_HASHES_PARAMETER } from '../../config/stack-names.ts';
import {
  type ManifestSettings,
  manifestsOf,
  removableManifests,
} from '../../providers/kubernetes/manifests/manifests.ts';

/** A step as it is done by hand: commands, and what they are for. */
export interface PrintedStep {
  readonly title: string;
  readonly commands: readonly string[];
}

/**
 * What `outrigger install` does, as commands. HASH, TOKEN and ADDRESS stand for what is known only then.
 *
 * @param role the role in the account of the cluster; `null`: that is the account of the stack
 */
export function installSteps(cluster: string, region: string | null, role: string | null): readonly PrintedStep[] {
  const at = region === null ? '' : ` --region ${region}`;
  const stack = stackNameOf(cluster);
  return [
    { title: 'Check the account and the cluster', commands: [`npx outrigger doctor --cluster ${cluster}${at}`] },
    {
      title: 'Make a token for the webhook: TOKEN goes into the manifest below, HASH into the stack',
      commands: ['npx outrigger token'],
    },
    {
      title: 'Deploy the stack with its schedules off',
      commands: [
        `npx cdk deploy ${stack} --parameters ${SCHEDULES_PARAMETER}=DISABLED --parameters ${TOKEN_HASHES_PARAMETER}=HASH`,
      ],
    },
    ...(role === null ? [] : roleSteps(stack, at, role)),
    {
      title: 'Replace ADDRESS by that of the stack’s output Webhook, TOKEN by the token, and apply the manifests',
      commands: ['kubectl apply --server-side --field-manager=outrigger --force-conflicts -f outrigger.yaml'],
    },
    {
      title: 'Switch the schedules on',
      commands: [`npx cdk deploy ${stack} --parameters ${SCHEDULES_PARAMETER}=ENABLED`],
    },
  ];
}

/** What is made in the account of the cluster, from outputs of the stack: TRUST and PERMISSIONS are files with two of them. */
const roleSteps = (stack: string, at: string, role: string): readonly PrintedStep[] => {
  const [, ...parts] = role.split('/');
  const name = parts.at(-1)!;
  const of = parts.length === 1 ? '' : ` --path /${parts.slice(0, -1).join('/')}/`;
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

/** What `outrigger uninstall` does, as commands. TABLE stands for the name of the table. */
export function uninstallSteps(cluster: string, region: string | null): readonly PrintedStep[] {
  const at = region === null ? '' : ` --region ${region}`;
  const stack = stackNameOf(cluster);
  const names = new Map<string, string[]>();
  for (const { kind, metadata } of removableManifests({ cluster, schedulerUsers: [] })) {
    const namespace = metadata.namespace === undefined ? '' : ` --namespace ${metadata.namespace}`;
    const key = `kubectl delete --ignore-not-found${namespace} ${kind.toLowerCase()}`;
    names.set(key, [...(names.get(key) ?? []), metadata.name]);
  }
  const [webhook, ...others] = [...names].map(([command, of]) => [command, ...of].join(' '));
  return [
    {
      title: 'Switch the schedules off',
      commands: [`npx cdk deploy ${stack} --parameters ${SCHEDULES_PARAMETER}=DISABLED`],
    },
    { title: 'Remove the webhook', commands: [webhook!] },
    {
      title: 'Wait until no node has the taint ToBeDeletedByClusterAutoscaler, then take off the soft taints',
      commands: ['kubectl taint nodes --all DeletionCandidateOfClusterAutoscaler-'],
    },
    { title: 'Remove RBAC', commands: others },
    {
      title: 'Delete the stack',
      commands: [`aws cloudformation delete-stack${at} --stack-name ${stack}`],
    },
    {
      title: 'Delete the table of the state, which outlives the stack, if nothing of it is needed any more',
      commands: [
        `aws dynamodb update-table${at} --table-name TABLE --no-deletion-protection-enabled`,
        `aws dynamodb delete-table${at} --table-name TABLE`,
      ],
    },
  ];
}

/** The address of a webhook whose function is not deployed yet. */
const ADDRESS = 'https://ADDRESS/TOKEN';

/** The steps as comments of a shell, and of YAML. */
export const printedSteps = (steps: readonly PrintedStep[]): string =>
  steps
    .flatMap(({ title, commands }, index) => [
      `# ${index + 1}. ${title}:`,
      ...commands.map((command) => `#      ${command}`),
    ])
    .map((line) => `${line}\n`)
    .join('');

/**
 * The manifests as YAML, with the steps as comments: a file for `kubectl apply`, or for a repository that is applied.
 *
 * @param webhook whether there is one
 */
export function printedManifests(steps: readonly PrintedStep[], settings: ManifestSettings, webhook: boolean): string {
  const documents = manifestsOf(settings, webhook ? `${ADDRESS}/${settings.cluster}` : null).map((object) =>
    stringify(object),
  );
  return `${printedSteps(steps)}---\n${documents.join('---\n')}`;
}

/** The same for programs. */
export const printedJson = (steps: readonly PrintedStep[], settings: ManifestSettings, webhook: boolean): string =>
  `${JSON.stringify({ steps, manifests: manifestsOf(settings, webhook ? `${ADDRESS}/${settings.cluster}` : null) }, null, 2)}\n`;

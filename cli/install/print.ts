import { stringify } from 'yaml';
import { SCHEDULES_PARAMETER, stackNameOf, TOKEN_HASHES_PARAMETER } from '../../config/stack-names.ts';
import { manifestsOf } from '../../providers/kubernetes/manifests/manifests.ts';
import type { ManifestSettings } from '../../providers/kubernetes/manifests/manifests.ts';

/** A step as it is done by hand: commands, and what they are for. */
export interface PrintedStep {
  readonly title: string;
  readonly commands: readonly string[];
}

/** What `outrigger install` does, as commands. HASH, TOKEN and ADDRESS stand for what is known only then. */
export function installSteps(cluster: string, region: string | null): readonly PrintedStep[] {
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

/** The address of a webhook whose function is not deployed yet. */
const ADDRESS = 'https://ADDRESS/TOKEN';

/**
 * The manifests as YAML, with the steps as comments: a file for `kubectl apply`, or for a repository that is applied.
 *
 * @param webhook whether there is one
 */
export function printedManifests(steps: readonly PrintedStep[], settings: ManifestSettings, webhook: boolean): string {
  const comments = steps.flatMap(({ title, commands }, index) => [
    `# ${index + 1}. ${title}:`,
    ...commands.map((command) => `#      ${command}`),
  ]);
  const documents = manifestsOf(settings, webhook ? `${ADDRESS}/${settings.cluster}` : null).map((object) =>
    stringify(object),
  );
  return `${comments.join('\n')}\n---\n${documents.join('---\n')}`;
}

/** The same for programs. */
export const printedJson = (steps: readonly PrintedStep[], settings: ManifestSettings, webhook: boolean): string =>
  `${JSON.stringify({ steps, manifests: manifestsOf(settings, webhook ? `${ADDRESS}/${settings.cluster}` : null) }, null, 2)}\n`;

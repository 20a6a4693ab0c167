import { expect, vi } from 'vitest';
import type { E2eCluster } from '../cluster.ts';
import { region } from '../servers/aws-clients.ts';
import { PATIENCE_MS } from '../servers/server-process.ts';
import { ACCOUNT, type Deployment } from './deployment.ts';
import { accessEntriesOf } from './eks.ts';
import type { Records } from './records.ts';
import { createPod, type Ground } from './run.ts';
import type { Synthesized } from './synthesize.ts';

/** Nodes go as soon as they are not needed. */
export const options = {
  scaleDownUnneededTime: '1s',
  scaleDownDelayAfterAdd: '0s',
  scaleDownDelayAfterDelete: '0s',
  nodeDeleteDelayAfterTaint: '1s',
};
/** The group that the variants scale. */
export const WEB = { name: 'web' };

/** Rights for a removal and a change of size. */
export const RIGHTS_TO_ACT = [
  'autoscaling:SetDesiredCapacity',
  'autoscaling:TerminateInstanceInAutoScalingGroup',
  'create pods/eviction',
] as const;

/** For each of those rights a role that has it, or `null`. */
export async function rolesThatMayAct(
  { iam, resolve }: Deployment,
  { kube, name }: E2eCluster,
  { template }: Synthesized,
): Promise<readonly (string | null)[]> {
  const resource = `arn:aws:autoscaling:${region}:${ACCOUNT}:autoScalingGroup:1:autoScalingGroupName/${name}-web-a`;
  const context = {
    'aws:ResourceTag/k8s.io/cluster-autoscaler/enabled': 'true',
    [`aws:ResourceTag/k8s.io/cluster-autoscaler/${name}`]: 'owned',
  };
  const evicting = { verb: 'create', resource: 'pods', subresource: 'eviction', namespace: name };
  const first = async (may: (role: string) => Promise<boolean>): Promise<string | null> => {
    for (const { id } of iam.roles) if (await may(id)) return id;
    return null;
  };
  const entries = accessEntriesOf(template, resolve, iam).filter(({ groups }) => !groups.includes('system:masters'));
  const mayEvict = async (groups: readonly string[]): Promise<boolean> => {
    const spec = { user: 'anybody', groups, resourceAttributes: evicting };
    const review = await kube.create<{ readonly status: { readonly allowed: boolean } }>(
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      { spec },
    );
    return review.status.allowed;
  };
  return [
    await first((role) => iam.judge(role, { action: RIGHTS_TO_ACT[0], resource, context })),
    await first((role) => iam.judge(role, { action: RIGHTS_TO_ACT[1], resource, context })),
    await first((role) => mayEvict(entries.find((entry) => entry.role === role)?.groups ?? [])),
  ];
}

/** Actions that the role of a function asked for. */
export const callsOf = ({ aws }: Records, of: string): readonly string[] =>
  aws.filter(({ principal }) => principal?.startsWith(`${of}Role`)).map(({ request }) => request.action);

/** Creates pods that no node is for until the webhook has notified of one: the API server takes a moment to heed a new one. */
export async function untilNotified({
  cluster: { kube, name },
  deployment: { lambda },
}: Pick<Ground, 'cluster' | 'deployment'>): Promise<void> {
  let pods = 0;
  await vi.waitFor(
    async () => {
      pods += 1;
      await createPod(kube, name, `unhelped-${pods}`, { nodeSelector: { kind: 'none' } });
      expect([...lambda.invocations.keys()]).toContainEqual(expect.stringMatching(/^Ingest/));
    },
    { timeout: PATIENCE_MS, interval: 1_000 },
  );
}

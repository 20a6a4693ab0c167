import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import {
  type Answer,
  autoScalingResult,
  type Call,
  ec2Result,
  groupXml,
  instanceTypeXml,
  launchTemplateXml,
  startWireServer,
} from '../providers/aws/wire-server.ts';
import { apiServer, json, refuse } from '../providers/kubernetes/api-server.ts';
import { KINDS } from '../providers/kubernetes/kinds.ts';
import { kubeconfigFor } from './kubeconfig.ts';

/** The account has a group of two nodes at least, and none. */
function answerAsAws({ action }: Call): Answer {
  switch (action) {
    case 'DescribeAutoScalingGroups':
      return autoScalingResult(action, { AutoScalingGroups: [groupXml('web', 'workers', { MinSize: 2 })] });
    case 'DescribeLaunchTemplateVersions':
      return ec2Result(action, { launchTemplateVersionSet: [launchTemplateXml('workers', 1, 'm5.large')] });
    case 'DescribeInstanceTypes':
      return ec2Result(action, { instanceTypeSet: [instanceTypeXml('m5.large')] });
    default:
      return autoScalingResult(action, {});
  }
}

/**
 * Servers that answer as an empty cluster and an account with a node group below its minimum do, until the test ends.
 *
 * @returns the flags that lead to them, what AWS and the API server were asked for, and a folder for files.
 */
export async function liveCluster() {
  const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-live-'));
  const server = await apiServer(({ path: asked }, response) => {
    const kind = KINDS[asked.split('/').at(-1)!];
    if (kind === undefined) {
      refuse(response, 404, 'NotFound', 'not found');
    } else {
      json(response, 200, { kind: `${kind}List`, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
    }
  });
  const aws = await startWireServer(answerAsAws);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  const kubeconfig = path.join(folder, 'kubeconfig');
  const options = path.join(folder, 'options.yaml');
  await writeFile(kubeconfig, kubeconfigFor(server.connection.server.href));
  await writeFile(options, 'enforceNodeGroupMinSize: true\n');
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  return {
    folder,
    flags: { cluster: 'web', region: 'us-east-1', kubeconfig, options, awsEndpoint: aws.endpoint },
    aws: aws.calls,
    server: server.seen,
  };
}

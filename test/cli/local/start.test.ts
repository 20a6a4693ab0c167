import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Flags } from '../../../cli/local/flags.ts';
import { createLog } from '../../../cli/local/log.ts';
import { start } from '../../../cli/local/start.ts';
import { minutes } from '../../../core/model/values/time.ts';
import {
  type Answer,
  autoScalingResult,
  type Call,
  ec2Result,
  groupXml,
  instanceTypeXml,
  launchTemplateXml,
  startWireServer,
} from '../../providers/aws/wire-server.ts';
import { apiServer, json, refuse } from '../../providers/kubernetes/api-server.ts';
import { KINDS } from '../../providers/kubernetes/kinds.ts';
import { kubeconfigFor } from '../kubeconfig.ts';

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

/** Starts `outrigger local` on an empty cluster with a group below its minimum, and waits for the first decision. */
async function started(flags: Partial<Flags>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-start-'));
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
  const lines: string[] = [];
  const run = await start(
    {
      cluster: 'web',
      region: 'us-east-1',
      kubeconfig,
      options,
      awsEndpoint: aws.endpoint,
      table: 'outrigger',
      schedulerUser: [],
      schedule: minutes(60),
      timeout: minutes(1),
      output: 'text',
      log: 'text',
      ...flags,
    },
    createLog(
      'text',
      'info',
      (line) => lines.push(line),
      () => new Date(0),
    ),
  );
  onTestFinished(async () => {
    await run.close();
    await server[Symbol.asyncDispose]();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  const decisions = () => lines.filter((line) => line.includes('workers 0 → 2'));
  await vi.waitFor(() => expect(decisions()).not.toEqual([]), 10_000);
  const changes = () => aws.calls.map(({ action }) => action).filter((action) => !action.startsWith('Describe'));
  const writes = () => server.seen.filter(({ method }) => method !== 'GET');
  return { run, lines, decision: decisions()[0], changes, writes };
}

describe('outrigger local', () => {
  it('with --dry-run says what it would do, and does nothing to the groups nor to the cluster', async () => {
    const { run, lines, decision, changes, writes } = await started({ dryRun: true });
    expect(lines[0]).toContain('(dry run: nothing is changed)');
    expect(decision).toContain('(dry run)');
    await run.close();
    expect(changes()).toEqual([]);
    expect(writes()).toEqual([]);
  });

  it('without it does what it has decided', async () => {
    const { decision, changes } = await started({});
    expect(decision).not.toContain('dry run');
    await vi.waitFor(() => expect(changes()).toContain('SetDesiredCapacity'), 10_000);
  });
});

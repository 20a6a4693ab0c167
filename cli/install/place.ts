import { present } from '@outrigger/core/model/values/present.ts';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EKSClient } from '@aws-sdk/client-eks';
import { setTimeout as delay } from 'node:timers/promises';
import { manifestSettings } from '../../config/manifest-settings.ts';
import { optionsOver, writeGivenOptions } from '../../config/options.ts';
import type { ClusterConfig } from '../../config/schema.ts';
import { stackNameOf } from '../../config/stack-names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { AwsCredentials } from '@outrigger/providers/aws/api/clients.ts';
import { connectionOfEksCluster } from '@outrigger/providers/aws/api/eks-connection.ts';
import { connectionOfKubeconfig } from '@outrigger/providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import type { ManifestSettings } from '@outrigger/providers/kubernetes/manifests/manifests.ts';
import { type ConfiguredCluster, defaultsOf, type CommandLineNames } from '../live/configured.ts';
import { regionFor } from '../live/region.ts';
import { StepError } from './journal.ts';
import type { StackClient } from './stack/deployed.ts';

/** How AWS and the API server are reached. */
export interface AccountAccess {
  /** An endpoint for all services of AWS; absent: AWS' endpoints. */
  readonly endpoint?: string;
  /** Absent: the SDK's default chain. */
  readonly credentials?: AwsCredentials;
  /** Absent: with a token of EKS for the AWS credentials. */
  readonly kubeconfig: { readonly file: string | null; readonly context: string | null } | null;
}

/** How a command reaches AWS and the API server, and waits for them. */
export interface InstallAccess extends AccountAccess {
  readonly now: () => EpochMs;
  /** Waits this long; tests wait less. */
  readonly pause: (ms: number) => Promise<void>;
}

/** A cluster with its stack, and how to reach both. */
export interface InstallPlace {
  readonly named: CommandLineNames;
  readonly region: string;
  readonly config: ClusterConfig;
  /** The file that the configuration is from; `null`: defaults. */
  readonly file: string | null;
  readonly stack: StackClient;
  readonly logs: CloudWatchLogsClient;
  readonly access: InstallAccess;
  readonly transport: Transport;
  readonly close: () => void;
}

/** Between two looks at a stack that is being changed. */
const STACK_PAUSE_MS = 3_000;

/** A bell rings for a moment, and commands are few: one that is refused for a moment is worth waiting for. */
const PATIENCE = { deadlineMs: 15_000, budgetMs: 45_000 };

export const realPause = async (ms: number): Promise<void> => {
  await delay(ms);
};

/**
 * Connects to AWS and to the API server of a cluster.
 *
 * @param found what the configuration says of the cluster; `null`: nothing
 * @throws Error where there is no region, no such cluster, or no way to its API server
 * @throws StepError where the cluster is in another account, and no kubeconfig is given
 */
export async function openPlace(
  named: CommandLineNames,
  found: ConfiguredCluster | null,
  access: InstallAccess,
): Promise<InstallPlace> {
  const { endpoint, credentials, kubeconfig } = access;
  const settings = {
    ...present({ endpoint, credentials }),
    maxAttempts: 5,
  };
  const config = found?.cluster ?? defaultsOf(named.cluster);
  if (config.role !== null && kubeconfig === null) {
    throw otherAccount(config);
  }
  const region = await regionFor(named.region ?? config.region);
  const eks = new EKSClient({ ...settings, region });
  const connection =
    kubeconfig === null ? await connectionOfEksCluster(eks, named.cluster) : await connectionOfKubeconfig(kubeconfig);
  const cloudFormation = new CloudFormationClient({ ...settings, region });
  const logs = new CloudWatchLogsClient({ ...settings, region });
  const transport = createTransport(connection, PATIENCE);
  return {
    named,
    region,
    config,
    file: found?.file ?? null,
    stack: { cloudFormation, name: stackNameOf(named.cluster), pause: () => access.pause(STACK_PAUSE_MS) },
    logs,
    access,
    transport,
    close: () => {
      transport.close();
      [eks, cloudFormation, logs].forEach((client) => client.destroy());
    },
  };
}

/** The credentials of a command are those of one account: that of the stack. */
export const otherAccount = ({ name, role }: ClusterConfig): StepError =>
  new StepError(
    `Cluster ${name} is in another account than its stack (role: ${role}), and the credentials are of one account.`,
    [
      `to install, follow the steps with the credentials of each: npx outrigger install --cluster ${name} --print`,
      `to uninstall, give a kubeconfig of the cluster: npx outrigger uninstall --cluster ${name} --kubeconfig FILE`,
    ],
  );

/** The settings that the objects in the cluster depend on: those of the stack. */
export const manifestSettingsOf = (config: ClusterConfig): ManifestSettings =>
  manifestSettings({
    ...config,
    options: writeGivenOptions(optionsOver(config.defaults, config.options)),
    dryRun: config.mode === 'observe',
  });

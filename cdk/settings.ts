import { firstItem, itemAt } from '@outrigger/core/model/values/existing.ts';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { clusterApiAsJson } from '../config/cluster-api.ts';
import { discoveryAsJson } from '../config/discovery.ts';
import { writeGivenOptions, optionsOver } from '../config/options.ts';
import { CONFIG_FILE, type Configuration, readClusterList, readConfiguration } from '../config/read.ts';
import { stackNameOf } from '../config/stack-names.ts';
import type { ClusterConfig } from '../config/schema.ts';
import { err, type Result } from '@outrigger/core/model/values/result.ts';
import { bytesOf } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';

/** A role in the account of the cluster. */
export interface AssumedRoleSettings {
  readonly arn: string;
  /** External ID of the role's trust policy; `null`: none. */
  readonly externalId: string | null;
}

/** The network interfaces of functions: in subnets of one VPC. */
export interface Network {
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

/** Resources of Cluster API as node groups. */
export interface ClusterApiProps {
  readonly apiGroup: string;
  readonly discovery: readonly {
    readonly namespace: string | null;
    readonly clusterName: string | null;
    readonly labels: Readonly<Record<string, string>>;
  }[];
  readonly machineDeployments: boolean;
  readonly defaultArchitecture: 'amd64' | 'arm64' | 'ppc64le' | 's390x';
  readonly infrastructureTemplates: readonly string[];
  readonly autoScalingGroups: boolean;
  /** `null`: the cluster itself. */
  readonly managementCluster: {
    readonly name: string;
    readonly region: string | null;
    readonly role: string | null;
    readonly externalId: string | null;
  } | null;
}

/** The settings of one cluster's stack. */
export interface ClusterSettings {
  readonly name: string;
  /** Account and region of the stack; absent: the CDK's defaults. */
  readonly account?: string | undefined;
  readonly region?: string | undefined;
  /** Scaling options, validated, as the functions read them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Evaluate and log decisions, but change nothing. */
  readonly dryRun: boolean;
  /** How large the cluster is: memory and time of the evaluations. */
  readonly size: 'small' | 'medium' | 'large';
  /** Whether the functions are traced by X-Ray. */
  readonly tracing: boolean;
  /** Whether the manifests have a FlowSchema and a priority level. */
  readonly flowSchema: boolean;
  /** Whether there is a bucket with snapshots of cached lists. */
  readonly snapshots: boolean;
  /** Whether there is a dashboard, and the function of its widget. */
  readonly dashboard: boolean;
  /** Whether the stack applies its manifests. */
  readonly applyManifests: boolean;
  /** With `applyManifests`: another number makes another token. */
  readonly webhookTokenVersion: number;
  /** The role to assume for the cluster; `null`: it is in the account of the stack. */
  readonly role: AssumedRoleSettings | null;
  /** The network of the functions that talk to the API server; `null`: in no VPC. */
  readonly vpc: Network | null;
  /** Rules for the Auto Scaling groups that are node groups; `null`: by the tags of Cluster Autoscaler's convention. */
  readonly discovery: {
    readonly tags: readonly { readonly key: string; readonly value: string | null }[];
    readonly nodes: readonly { readonly name: string; readonly min: number; readonly max: number }[];
  } | null;
  /** `null`: Auto Scaling groups alone. */
  readonly clusterApi: ClusterApiProps | null;
  /** Time between scheduled evaluations, in milliseconds. */
  readonly scanInterval: number;
  readonly alarmTopicArn?: string | undefined;
  /** Absent: no messages. */
  readonly eventBusArn?: string | undefined;
  /** Absent: no rule brings messages to a topic. */
  readonly messageTopicArn?: string | undefined;
  /** Absent: keys of AWS. */
  readonly kmsKeyArn?: string | undefined;
  readonly schedulerUsers: readonly string[];
  /** How the API server notifies of pods without a node. */
  readonly webhook: 'functionUrl' | 'httpApi' | 'none';
  /** SHA-256 of the tokens that the webhook accepts; absent: a parameter of the stack. */
  readonly webhookTokenHashes?: readonly string[] | undefined;
  /** Reserved concurrency of the ingest function; absent: none is reserved. */
  readonly reservedConcurrency?: number | undefined;
}

export interface StackSettings {
  readonly clusters: readonly ClusterSettings[];
  /** Whether each account and region has a dashboard of all its clusters. */
  readonly fleetDashboard: boolean;
  readonly warnings: readonly string[];
}

/** Invalid settings, one line each. */
export class SettingsError extends Error {
  constructor(complaints: readonly string[]) {
    super(complaints.join('\n'));
    this.name = 'SettingsError';
  }
}

/**
 * Reads the settings: from the file that the context value `config` names, from the context value `clusters`, or from
 * outrigger.config.yaml in this directory. The context is `-c config=FILE`, `-c clusters=[…]`, or the same in cdk.json.
 *
 * @throws SettingsError with all errors
 */
export function readSettings(
  { config, clusters }: Readonly<Record<'config' | 'clusters', unknown>>,
  directory: string,
): StackSettings {
  const file = path.join(directory, CONFIG_FILE);
  if (config !== undefined) {
    if (typeof config !== 'string' || clusters !== undefined) {
      const complaint =
        typeof config === 'string'
          ? 'The context has both config and clusters: give one of them.'
          : 'The context value "config" must be the name of a file.';
      throw new SettingsError([complaint]);
    }
    return readFrom(path.resolve(directory, config), config);
  }
  if (clusters !== undefined) {
    const ignored = existsSync(file) && `${CONFIG_FILE} is not read: the context value "clusters" takes precedence.`;
    return { clusters: readClusters(clusters), fleetDashboard: false, warnings: presentItems([ignored]) };
  }
  if (!existsSync(file)) {
    throw new SettingsError([
      `No cluster is configured: write ${CONFIG_FILE} next to cdk.json, or pass -c config=FILE.`,
    ]);
  }
  return readFrom(file, CONFIG_FILE);
}

/**
 * Reads the context value `clusters`: a list in cdk.json, or the same as JSON text from `-c clusters=…`.
 *
 * @throws SettingsError with all errors
 */
export const readClusters = (context: unknown): readonly ClusterSettings[] =>
  settingsOf(
    readClusterList(typeof context === 'string' ? parseJson(context) : context, 'context value "clusters"'),
    'context value "clusters"',
  ).clusters;

/**
 * Reads the settings of one cluster, as a program gives them.
 *
 * @param origin where they are from, for the messages
 * @throws SettingsError with everything that is wrong
 */
export function readCluster(
  cluster: unknown,
  origin: string,
): { readonly cluster: ClusterSettings; readonly warnings: readonly string[] } {
  // For a list of one cluster, the reader's places begin with the index in the list.
  const own = (lines: readonly string[]): readonly string[] => lines.map((line) => line.replace('clusters[0].', ''));
  const read = readClusterList([cluster], origin);
  const { clusters, warnings } = settingsOf(read.ok ? read : err(own(read.error)), origin);
  return { cluster: firstItem(clusters), warnings: own(warnings) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SettingsError(['The context value "clusters" is not valid JSON.']);
  }
}

function readFrom(file: string, name: string): StackSettings {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingsError([`${name} cannot be read: ${messageOf(error)}`]);
  }
  return settingsOf(readConfiguration(text, name), name);
}

function settingsOf(read: Result<Configuration, readonly string[]>, origin: string): StackSettings {
  if (!read.ok) {
    throw new SettingsError(read.error);
  }
  const { clusters, fleetDashboard, warnings } = read.value;
  const complaints = [
    ...presentItems(
      clusters.map((cluster) =>
        mapOptional(tooLarge(cluster), (what) => `${origin}: cluster ${cluster.name}: ${what}`),
      ),
    ),
    ...sameStacks(clusters).map((name) => `${origin}: cluster ${name}: another cluster's stack has the same name`),
  ];
  if (complaints.length > 0) {
    throw new SettingsError(complaints);
  }
  return { clusters: clusters.map(stackSettings), fleetDashboard, warnings };
}

/**
 * Bytes for settings in the environment of a function. Lambda's limit for all of it, names included, is 4 KB; the rest
 * takes no more than 1,200.
 */
const MOST_ENVIRONMENT = 2_800;

/** Why the settings do not fit into the environment of a function; `null` where they fit. */
function tooLarge({ defaults, options, discovery, clusterApi }: ClusterConfig): string | null {
  const ofOptions = bytesOf(JSON.stringify(writeGivenOptions(optionsOver(defaults, options))));
  const ofDiscovery = bytesOf(mapOptional(discovery, discoveryAsJson) ?? '');
  const ofClusterApi = bytesOf(mapOptional(clusterApi, clusterApiAsJson) ?? '');
  if (ofOptions + ofDiscovery + ofClusterApi <= MOST_ENVIRONMENT) {
    return null;
  }
  return `expected options and discovery of at most ${MOST_ENVIRONMENT} bytes, which fit into the environment of a function, found ${ofOptions} and ${ofDiscovery + ofClusterApi}: tag the groups and use discovery.tags, or shorten the lists among the options`;
}

const stackSettings = ({ mode, defaults, externalId, ...cluster }: ClusterConfig): ClusterSettings => ({
  ...cluster,
  account: cluster.account ?? undefined,
  region: cluster.region ?? undefined,
  options: writeGivenOptions(optionsOver(defaults, cluster.options)),
  dryRun: mode === 'observe',
  webhookTokenVersion: cluster.webhookTokenVersion ?? 1,
  role: mapOptional(cluster.role, (arn) => ({ arn, externalId })),
  alarmTopicArn: cluster.alarmTopicArn ?? undefined,
  eventBusArn: cluster.eventBusArn ?? undefined,
  messageTopicArn: cluster.messageTopicArn ?? undefined,
  kmsKeyArn: cluster.kmsKeyArn ?? undefined,
  webhookTokenHashes: cluster.webhookTokenHashes ?? undefined,
  reservedConcurrency: cluster.reservedConcurrency ?? undefined,
});

export const stackName = ({ name }: Pick<ClusterSettings, 'name'>): string => stackNameOf(name);

/** Clusters whose stack would replace the stack of another cluster. */
const sameStacks = (clusters: readonly ClusterConfig[]): readonly string[] => {
  const placed = clusters.map((cluster) => [cluster.account, cluster.region, stackName(cluster)].join(' '));
  return clusters.filter((_cluster, index) => placed.indexOf(itemAt(placed, index)) < index).map(({ name }) => name);
};

/**
 * The ID of a stack for `cdk deploy`: its name, and with it the account and region where another one has a stack of the
 * same name.
 */
export function stackId(cluster: ClusterSettings, clusters: readonly ClusterSettings[]): string {
  const name = stackName(cluster);
  const others = clusters.filter((other) => stackName(other) === name);
  return others.length === 1 ? name : presentItems([name, cluster.account, cluster.region]).join('-');
}

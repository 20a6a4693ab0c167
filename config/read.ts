import type * as z from 'zod';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import { explainInvalid, fieldOf, type Invalid, itemOf } from '@outrigger/providers/manifest/invalid.ts';
import { parseYamlDocuments } from '@outrigger/providers/scenario/documents.ts';
import { withPresentNames } from '@outrigger/providers/schema/former-names.ts';
import { camelCase } from '@outrigger/providers/schema/options.ts';
import { readBy } from '@outrigger/providers/schema/read.ts';
import type { Warning } from './options.ts';
import { capabilitiesOf, type RegionCapabilities } from '@outrigger/providers/schema/regions.ts';
import {
  type ClusterConfig,
  configuration,
  DEFAULT_SCAN_INTERVAL,
  DRAINS_OF_QUEUE,
  FORMER_SETTINGS,
  reservedConcurrencyOf,
  type Webhook,
} from './schema.ts';
import { itemsIf, mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';

/** The file beside cdk.json that is read when no other is named. */
export const CONFIG_FILE = 'outrigger.config.yaml';

export interface Configuration {
  readonly clusters: readonly ClusterConfig[];
  /** Whether each account and region has a dashboard of all its clusters. */
  readonly fleetDashboard: boolean;
  /** Accepted settings that have no effect, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the text of a configuration file, YAML or JSON.
 *
 * @param file its name, for the messages
 * @returns the configuration, or everything that is wrong with it: `file:line: place: expected …, found …`
 */
export function readConfiguration(text: string, file: string): Result<Configuration, readonly string[]> {
  const documents = parseYamlDocuments(text);
  const [document] = documents;
  if (document === undefined || documents.length > 1) {
    const found = document === undefined ? 'nothing: the file is empty' : `${documents.length} documents`;
    return err([`${file}: expected one document with the list clusters, found ${found}`]);
  }
  const { content } = document;
  if (content.kind === 'malformed') {
    return err(content.errors.map(({ line, message }) => `${at(file, line)}: ${message}`));
  }
  return inWords(readSettings(content.value), file, content.lineOf);
}

/**
 * Reads a list of clusters from elsewhere than a file.
 *
 * @param origin where it comes from, for the messages
 */
export const readClusterList = (clusters: unknown, origin: string): Result<Configuration, readonly string[]> =>
  inWords(readSettings({ clusters }), origin, () => null);

const at = (file: string, line: number | null): string => presentItems([file, line]).join(':');

type Raw = z.output<typeof configuration>['clusters'][number];

interface Settings extends Pick<Configuration, 'clusters' | 'fleetDashboard'> {
  readonly warnings: readonly Warning[];
  readonly problems: readonly Invalid[];
}

function readSettings(raw: unknown): Settings {
  const problems: Invalid[] = [];
  const written = readBy(configuration, raw, '', problems);
  const read = written?.defaults === undefined ? written : readBy(configuration, inherited(raw), '', problems);
  const clusters = read?.clusters ?? [];
  for (const [index, cluster] of clusters.entries()) {
    contradictions(cluster, itemOf('clusters', index), problems);
  }
  repetitions(clusters, problems);
  return {
    clusters: clusters.map(withDefaults),
    fleetDashboard: read?.fleetDashboard ?? false,
    warnings: clusters.flatMap((cluster, index) => warningsOf(cluster, itemOf('clusters', index))),
    problems,
  };
}

const warningsOf = ({ options, drains }: Raw, at: string): readonly Warning[] => [
  ...itemsIf(drains !== undefined, [
    { place: fieldOf(at, 'drains'), text: `has no effect any more. ${DRAINS_OF_QUEUE}` },
  ]),
  ...(options?.warnings ?? []).map(({ place, text }) => ({ place: fieldOf(fieldOf(at, 'options'), place), text })),
];

/** The document with the settings of `defaults` in each cluster. The document is valid. */
function inherited(raw: unknown): object {
  const document = raw as { readonly defaults: Fields; readonly clusters: readonly Fields[] };
  const { defaults, clusters, ...rest } = { ...document, defaults: withPresentSettings(document.defaults) };
  return {
    ...rest,
    clusters: clusters
      .map(withPresentSettings)
      .map((cluster) => ({ ...defaults, ...cluster, ...mergedOptions(defaults, cluster) })),
  };
}

const withPresentSettings = (settings: Fields): Fields => withPresentNames(settings, FORMER_SETTINGS) as Fields;

/** The option of the cluster replaces the option of the defaults, whatever the spelling is. */
function mergedOptions({ options: byDefault }: Fields, { options: own }: Fields): Fields {
  if (byDefault === undefined || own === undefined || own === null) {
    return {};
  }
  const given = new Set(Object.keys(own).map(camelCase));
  const kept = Object.entries(byDefault as Fields).filter(([name]) => !given.has(camelCase(name)));
  return { options: { ...Object.fromEntries(kept), ...own } };
}

/** The problems, in the order of the lines. */
function inWords(
  { problems, warnings, ...settings }: Settings,
  origin: string,
  lineOf: (place: string) => number | null,
): Result<Configuration, readonly string[]> {
  const inOrder = (said: readonly { readonly place: string; readonly text: string }[]): readonly string[] =>
    said
      .map(({ place, text }) => ({ line: lineOf(place), text }))
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
      .map(({ line, text }) => `${at(origin, line)}: ${text}`);
  if (problems.length > 0) {
    return err(inOrder(problems.map((invalid) => ({ place: invalid.place, text: explainInvalid(invalid) }))));
  }
  return ok({
    ...settings,
    warnings: inOrder(warnings.map(({ place, text }) => ({ place, text: `${place} ${text}` }))),
  });
}

/** Settings that do not go together. */
function contradictions(cluster: Raw, place: string, problems: Invalid[]): void {
  const { account, region, mode, dryRun, discovery } = cluster;
  const refuse = (setting: keyof Raw, expected: string, found: string): void =>
    void problems.push({ place: fieldOf(place, setting), expected, found });
  if (account !== undefined && region === undefined) {
    refuse('account', 'region with account', 'account alone');
  }
  if (cluster.externalId !== undefined && cluster.role === undefined) {
    refuse('externalId', 'role with it', 'externalId alone');
  }
  if (mode !== undefined && dryRun !== undefined) {
    refuse('dryRun', 'mode alone, of which dryRun is the former name', 'both');
  }
  if (discovery !== undefined && discovery.tags === undefined && discovery.nodes === undefined) {
    refuse('discovery', 'tags, nodes or both', 'neither');
  }
  clusterApiContradictions(cluster, place, problems);
  messageTopicElsewhere(cluster, place, problems);
  if (cluster.webhook === 'functionUrl' && !allows(region, 'functionUrls')) {
    refuse('webhook', `httpApi or none: Lambda has no function URLs in ${region}`, 'functionUrl');
  }
  if (cluster.tracing && !allows(region, 'tracing')) {
    refuse('tracing', `false: Lambda sends no traces to X-Ray in ${region}`, 'true');
  }
  for (const setting of ['webhookTokenHashes', 'reservedConcurrency'] as const) {
    if (cluster.webhook === 'none' && cluster[setting] !== undefined) {
      refuse(setting, 'a webhook with it', 'webhook: none');
    }
  }
  for (const setting of ['role', 'webhookTokenHashes'] as const) {
    if (cluster.applyManifests && cluster[setting] !== undefined) {
      refuse(setting, 'no applyManifests with it', 'both');
    }
  }
  if (cluster.webhookTokenVersion !== undefined && !cluster.applyManifests) {
    refuse('webhookTokenVersion', 'applyManifests: true with it', 'webhookTokenVersion alone');
  }
  if (cluster.snapshots && cluster.options?.values.incrementalReads !== true) {
    refuse('snapshots', 'the option incrementalReads: true with it', 'snapshots alone');
  }
  const names = (discovery?.nodes ?? []).map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) {
      problems.push({
        place: itemOf(fieldOf(fieldOf(place, 'discovery'), 'nodes'), index),
        expected: 'each Auto Scaling group once',
        found: JSON.stringify(name),
      });
    }
  }
}

/** The rule for messages, the bus and the topic have to be in the region of the stack. */
function messageTopicElsewhere(
  { region, eventBusArn, messageTopicArn }: Raw,
  place: string,
  problems: Invalid[],
): void {
  const regionOf = (arn: string | undefined): string | undefined => arn?.split(':')[3];
  const expected = region ?? regionOf(messageTopicArn);
  for (const [setting, arn] of Object.entries({ eventBusArn, messageTopicArn })) {
    if (messageTopicArn !== undefined && arn !== undefined && regionOf(arn) !== expected) {
      problems.push({
        place: fieldOf(place, setting),
        expected: `an ARN of ${expected}, the region of the rule that messageTopicArn makes`,
        found: JSON.stringify(arn),
      });
    }
  }
}

function clusterApiContradictions({ clusterApi, discovery }: Raw, place: string, problems: Invalid[]): void {
  const inside = fieldOf(place, 'clusterApi');
  const { managementCluster, autoScalingGroups } = clusterApi ?? {};
  if (
    managementCluster?.externalId !== undefined &&
    managementCluster.externalId !== null &&
    managementCluster.role === null
  ) {
    const at = fieldOf(fieldOf(inside, 'managementCluster'), 'externalId');
    problems.push({ place: at, expected: 'role with it', found: 'externalId alone' });
  }
  if (autoScalingGroups === false && discovery !== undefined) {
    const expected = 'no discovery with it, which is of Auto Scaling groups';
    problems.push({ place: fieldOf(inside, 'autoScalingGroups'), expected, found: 'both' });
  }
}

/** Entries for the same cluster. An omitted region or account may be any: the CDK takes that of its environment. */
function repetitions(clusters: readonly Raw[], problems: Invalid[]): void {
  const same = (a: string | undefined, b: string | undefined): boolean => a === b || a === undefined || b === undefined;
  for (const [index, { name, region, account }] of clusters.entries()) {
    const earlier = clusters
      .slice(0, index)
      .findIndex((other) => other.name === name && same(other.region, region) && same(other.account, account));
    if (earlier !== -1) {
      problems.push({
        place: fieldOf(itemOf('clusters', index), 'name'),
        expected: `each cluster once (the same name needs another region or account than ${itemOf('clusters', earlier)})`,
        found: JSON.stringify(name),
      });
    }
  }
}

/** Without a region, it is that of the CDK's environment: the settings count on all capabilities. */
const allows = (region: string | undefined, capability: Exclude<keyof RegionCapabilities, 'domain'>): boolean =>
  region === undefined || capabilitiesOf(region)[capability];

const webhookOf = ({ webhook, region }: Raw): Webhook =>
  webhook ?? (allows(region, 'functionUrls') ? 'functionUrl' : 'httpApi');

const withDefaults = ({ dryRun, drains: _drains, ...cluster }: Raw): ClusterConfig => ({
  ...cluster,
  region: cluster.region ?? null,
  account: cluster.account ?? null,
  role: cluster.role ?? null,
  externalId: cluster.externalId ?? null,
  vpc: cluster.vpc ?? null,
  mode: cluster.mode ?? (dryRun === false ? 'act' : 'observe'),
  discovery: mapOptional(cluster.discovery, ({ tags = [], nodes = [] }) => ({ tags, nodes })) ?? null,
  clusterApi: cluster.clusterApi ?? null,
  options: cluster.options?.values ?? {},
  webhook: webhookOf(cluster),
  webhookTokenHashes: cluster.webhookTokenHashes ?? null,
  reservedConcurrency: reservedConcurrencyOf({ ...cluster, webhook: webhookOf(cluster) }),
  webhookTokenVersion: cluster.webhookTokenVersion ?? null,
  alarmTopicArn: cluster.alarmTopicArn ?? null,
  eventBusArn: cluster.eventBusArn ?? null,
  messageTopicArn: cluster.messageTopicArn ?? null,
  kmsKeyArn: cluster.kmsKeyArn ?? null,
  scanInterval: cluster.scanInterval ?? DEFAULT_SCAN_INTERVAL,
});

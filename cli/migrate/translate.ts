import { unlessEmpty } from '@outrigger/providers/manifest/fields.ts';
import { nonEmpty, present } from '@outrigger/core/model/values/present.ts';
import { getOwn, textBefore } from '@outrigger/core/model/values/existing.ts';
import { asksFor, optionsOver, readWrittenOptions, writeGivenOptions } from '../../config/options.ts';
import { scanIntervalWithin } from '../../config/schema.ts';
import { type Flag, FLAGS, flagOf } from '../../config/flags.ts';
import { camelCase } from '@outrigger/providers/schema/options.ts';
import { CLUSTER_OPTIONS, EXPANDERS, GROUP_OPTIONS, type Options } from '@outrigger/core/model/options.ts';
import { mapOptional, textIf } from '@outrigger/core/model/values/optional.ts';
import { type DurationMs, formatDuration, parseDuration } from '@outrigger/core/model/values/time.ts';
import { didYouMean } from '@outrigger/providers/schema/known-fields.ts';
import {
  type DiscoverySpec,
  parseDiscoverySpec,
  writeDiscoverySpec,
} from '@outrigger/providers/schema/cluster-api-discovery.ts';
import { type Invalid, explainInvalid } from '@outrigger/providers/manifest/invalid.ts';
import type { GivenFlag } from './arguments.ts';
import type { Deployment } from './deployment.ts';

/** The translation of one flag. */
export interface FlagTranslation {
  readonly verdict: 'same' | 'differs' | 'none' | 'unknown';
  readonly flag: string;
  readonly value: string;
  /** The flag's counterpart in the configuration; empty where it has none. */
  readonly here: string;
  readonly why: string;
}

/** A cluster as the configuration has it, and how it came to be. */
export interface Translation {
  readonly origin: string;
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly findings: readonly FlagTranslation[];
  readonly notes: readonly string[];
  /** Why it cannot be written. */
  readonly complaints: readonly string[];
}

/** The settings of the command line, where the files have none. */
export interface CommandLineSettings {
  readonly cluster?: string;
  readonly region?: string;
}

/** The settings gathered from the flags so far. */
interface GatheredSettings {
  /** By option; lists have all of their items. */
  readonly options: Map<keyof Options, string | string[]>;
  /** The first set of tags; `null`: none is given. */
  tags: readonly string[] | null;
  readonly nodes: string[];
  /** The setting `clusterApi`; `null`: the deployment has another provider. */
  readonly clusterApi: { apiGroup?: string; defaultArchitecture?: string; readonly discovery: DiscoverySpec[] } | null;
  name: string | null;
  /** The setting `scanInterval`; `null`: the default. */
  scanInterval: DurationMs | null;
  readonly findings: FlagTranslation[];
}

/** Cluster Autoscaler's first version whose default expander is least-waste; random before it. */
const LEAST_WASTE_SINCE = { major: 1, minor: 33 };

/** Translates a deployment of Cluster Autoscaler into the settings of a cluster that decides in the same way. */
export function translate(deployment: Deployment, said: CommandLineSettings): Translation {
  const gathered: GatheredSettings = {
    options: new Map(),
    tags: null,
    nodes: [],
    clusterApi: hasClusterApi(deployment) ? { discovery: [] } : null,
    name: null,
    scanInterval: null,
    findings: [],
  };
  // A flag of older versions does not win over the one that has replaced it.
  const removedFirst = deployment.flags.toSorted((a, b) => Number(isRemoved(b)) - Number(isRemoved(a)));
  for (const given of removedFirst) {
    gather(given, gathered);
  }
  const { clusterApi, findings } = gathered;
  if (clusterApi !== null) {
    deployment.variables.forEach((variable) => gatherVariable(variable, clusterApi, findings));
  }
  defaultExpander(deployment, gathered);
  const complaints: string[] = [];
  const options = readOptions(gathered, complaints);
  const name =
    said.cluster ?? deployment.name ?? gathered.name ?? nameInTags(gathered.tags ?? []) ?? nameInSpecs(gathered);
  const region = said.region ?? deployment.region;
  const discovery = discoveryOf(gathered, name);
  return {
    origin: deployment.origin,
    cluster: present({
      name,
      region,
      mode: 'observe',
      discovery,
      clusterApi: mapOptional(clusterApi, clusterApiOf),
      scanInterval: mapOptional(gathered.scanInterval, formatDuration),
      defaults: 'cluster-autoscaler',
      options: unlessEmpty(writeGivenOptions(options)),
    }),
    findings: [...findings, ...otherDefaults(options)],
    notes: deployment.notes,
    complaints,
  };
}

const isRemoved = ({ name }: GivenFlag): boolean => flagOf(name)?.version === 'removed';

/** Sees to one flag. */
function gather(given: GivenFlag, gathered: GatheredSettings): void {
  const flag = flagOf(given.name);
  if (flag === null) {
    const why = `Not a known flag of Cluster Autoscaler${didYouMean(given.name, NAMES)}.`;
    gathered.findings.push({ verdict: 'unknown', flag: given.name, value: given.value, here: '', why });
    return;
  }
  const value = plain(given.value, flag);
  const found = (verdict: FlagTranslation['verdict'], here: string, why: string): void => {
    gathered.findings.push({ verdict, flag: flag.name, value, here, why });
  };
  const { counterpart } = flag;
  switch (counterpart.kind) {
    case 'option':
      gatherOption({ ...flag, option: counterpart.option }, value, gathered, found);
      return;
    case 'setting':
      gatherSetting(flag, value, gathered, found);
      return;
    case 'meaningless':
      found('none', '', counterpart.why);
      return;
    case 'built in':
      if (flag.name === 'cloud-provider' && gathered.clusterApi !== null) {
        found('same', 'clusterApi', 'Resources of Cluster API alone: autoScalingGroups is false.');
        return;
      }
      found(asksFor(flag, value) ? 'same' : 'differs', 'built in', counterpart.why);
      return;
    case 'missing':
      found(asksFor(flag, value) ? 'same' : 'none', '', counterpart.why);
  }
}

const NAMES = FLAGS.map(({ name }) => name);

type FindingReporter = (verdict: FlagTranslation['verdict'], here: string, why: string) => void;

type OptionFlag = Pick<Flag, 'name' | 'value'> & { readonly option: keyof Options };

function gatherOption(flag: OptionFlag, text: string, { options }: GatheredSettings, found: FindingReporter): void {
  const { option } = flag;
  const value = option === 'expander' ? knownExpanders(text, found) : text;
  if (value === '') {
    return;
  }
  const problems: Invalid[] = [];
  readWrittenOptions({ [option]: value }, '', problems);
  if (problems.length > 0) {
    found('none', '', `Left out: ${problems.map((invalid) => explainInvalid({ ...invalid, place: '' })).join('; ')}.`);
    return;
  }
  if (flag.value === 'list' && option !== 'expander') {
    const items = flag.name.endsWith('-scheduler-names') ? value.split(',') : [value];
    options.set(option, [...[options.get(option) ?? []].flat(), ...items]);
  } else {
    options.set(option, value);
  }
  found('same', `options.${option}`, textIf(camelCase(flag.name) !== option, 'Renamed.'));
}

/** The expanders of a chain that there are. */
function knownExpanders(chain: string, found: FindingReporter): string {
  const names = chain.split(',').map((name) => name.trim());
  const known = names.filter((name) => name !== 'grpc');
  if (known.length < names.length) {
    found('none', '', `There is no gRPC expander; the others are ${EXPANDERS.join(', ')}.`);
  }
  return known.join(',');
}

function gatherSetting(flag: Flag, value: string, gathered: GatheredSettings, found: FindingReporter): void {
  if (flag.name === 'cluster-name') {
    gathered.name = value;
    found('same', 'name', '');
  } else if (flag.name === 'scan-interval') {
    gatherScanInterval(value, gathered, found);
  } else if (gathered.clusterApi !== null) {
    gatherResources(flag, value, gathered.clusterApi.discovery, found);
  } else if (flag.name === 'nodes') {
    gathered.nodes.push(value);
    found('same', 'discovery.nodes', '');
  } else {
    const [, tags] = /^asg:tag=(.+)$/s.exec(value) ?? [];
    if (tags === undefined) {
      found('none', '', 'Auto Scaling groups are found by asg:tag=KEY,….');
    } else if (gathered.tags !== null) {
      found('none', '', 'Auto Scaling groups are found by one set of tags; this is another one.');
    } else {
      gathered.tags = tags
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '');
      found('same', 'discovery', '');
    }
  }
}

const WITH_WEBHOOK =
  'With the webhook, an evaluation follows each pending pod at once: without the setting, scans are a minute apart and cost less.';

function gatherScanInterval(value: string, gathered: GatheredSettings, found: FindingReporter): void {
  const asked = parseDuration(value);
  if (!asked.ok) {
    found('none', '', `Not ${asked.error}.`);
    return;
  }
  gathered.scanInterval = scanIntervalWithin(asked.value);
  const isSame = gathered.scanInterval === asked.value;
  found(isSame ? 'same' : 'differs', `scanInterval: ${formatDuration(gathered.scanInterval)}`, WITH_WEBHOOK);
}

/** Gathers the resources of Cluster API that are node groups. */
function gatherResources({ name }: Flag, value: string, discovery: DiscoverySpec[], found: FindingReporter): void {
  if (name === 'nodes') {
    found('none', '', 'Resources of Cluster API have their bounds in annotations.');
    return;
  }
  const spec = parseDiscoverySpec(value);
  if (spec === null) {
    found('none', '', 'Resources of Cluster API are found by clusterapi:namespace=…,clusterName=…,LABEL=VALUE.');
    return;
  }
  discovery.push(spec);
  found('same', 'clusterApi.discovery', '');
}

/** Sees to one of the variables of the provider `clusterapi`. */
function gatherVariable(
  { name, value }: GivenFlag,
  clusterApi: NonNullable<GatheredSettings['clusterApi']>,
  findings: GatheredSettings['findings'],
): void {
  const found = (here: string, why = ''): void => {
    findings.push({ verdict: here === '' ? 'none' : 'same', flag: name, value, here, why });
  };
  if (name === 'CAPI_GROUP') {
    clusterApi.apiGroup = value;
    found('clusterApi.apiGroup');
  } else if (name === 'CAPI_SCALE_ZERO_DEFAULT_ARCH') {
    clusterApi.defaultArchitecture = value;
    found('clusterApi.defaultArchitecture');
  } else if (name === 'CAPI_VERSION') {
    found('built in', 'The API server is asked which versions it serves.');
  } else {
    found('', 'Not a known variable of Cluster Autoscaler.');
  }
}

const hasClusterApi = ({ flags }: Deployment): boolean =>
  flags.some(({ name, value }) => name === 'cloud-provider' && value === 'clusterapi');

const clusterApiOf = ({ discovery, ...said }: NonNullable<GatheredSettings['clusterApi']>): object => ({
  ...said,
  ...nonEmpty({ discovery: discovery.map(writeDiscoverySpec) }),
  autoScalingGroups: false,
});

const nameInSpecs = ({ clusterApi }: GatheredSettings): string | null =>
  clusterApi?.discovery.find(({ clusterName }) => clusterName !== null)?.clusterName ?? null;

/** Booleans and durations in any form that Go reads. */
export function plain(value: string, flag: Pick<Flag, 'value'>): string {
  if (flag.value === 'boolean') {
    if (/^(?:1|t|T|TRUE|true|True)$/.test(value)) {
      return 'true';
    }
    return /^(?:0|f|F|FALSE|false|False)$/.test(value) ? 'false' : value;
  }
  const length = flag.value === 'duration' ? parseDuration(value) : null;
  return length?.ok === true ? formatDuration(length.value) : value;
}

/** Older versions choose at random where no expander is given. */
function defaultExpander({ version }: Deployment, { options, findings }: GatheredSettings): void {
  const { major, minor } = LEAST_WASTE_SINCE;
  if (
    version !== null &&
    (version.major < major || (version.major === major && version.minor < minor)) &&
    !options.has('expander')
  ) {
    options.set('expander', 'random');
    findings.push({
      verdict: 'same',
      flag: 'expander',
      value: '(absent)',
      here: 'options.expander',
      why: `random, the default before version ${major}.${minor}.`,
    });
  }
}

/** The options as typed values. Each was read alone before: an error now is a conflict between options. */
function readOptions({ options }: GatheredSettings, complaints: string[]): Partial<Options> {
  const problems: Invalid[] = [];
  const { values } = readWrittenOptions(Object.fromEntries(options), 'options', problems);
  complaints.push(...problems.map(explainInvalid));
  return values;
}

const CONVENTION = 'k8s.io/cluster-autoscaler/';

/** The cluster's name, as the tags of the convention have it. */
function nameInTags(tags: readonly string[]): string | null {
  const keys = tags.map((tag) => textBefore(tag, '='));
  const names = keys.flatMap(
    (key) => /^(?:k8s\.io\/cluster-autoscaler|kubernetes\.io\/cluster)\/([^/]+)$/.exec(key)?.[1] ?? [],
  );
  return names.find((name) => name !== 'enabled') ?? null;
}

/** `null` where the tags are those of the convention. */
function discoveryOf({ tags, nodes }: GatheredSettings, name: string | null): object | null {
  const convention = [`${CONVENTION}enabled`, `${CONVENTION}${name ?? ''}`];
  const isUsual = tags === null || tags.toSorted().join(',') === convention.toSorted().join(',');
  if (nodes.length === 0 && isUsual) {
    return null;
  }
  return { ...present({ tags }), ...nonEmpty({ nodes }) };
}

/** Options that are not given, and whose default is not Cluster Autoscaler's. */
function otherDefaults(given: Partial<Options>): readonly FlagTranslation[] {
  const specs: Readonly<Record<string, { readonly default: unknown }>> = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };
  const theirs = writeGivenOptions(optionsOver('cluster-autoscaler', {}));
  return Object.entries(theirs)
    .filter(([name]) => !Object.hasOwn(given, name))
    .map(([name, value]) => ({
      verdict: 'differs',
      flag: name,
      value: '(absent)',
      here: `${String(value)}, by defaults: cluster-autoscaler`,
      why: `With defaults: outrigger it is ${String(writeGivenOptions({ [name]: getOwn(specs, name).default })[name])}.`,
    }));
}

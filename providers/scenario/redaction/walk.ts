import { PRIORITY_CONFIG_MAP } from '@outrigger/core/model/cluster/priorities.ts';
import { LAUNCH_FAILURE_PREFIX } from '@outrigger/core/model/node-group.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { Manifest } from '../../manifest/fields.ts';
import { KINDS } from '../../manifest/objects.ts';
import {
  INSTANCE_TYPE,
  INSTANCE_TYPE_KEYS,
  NAMING_KEYS,
  PLAIN_FIELDS,
  PLAIN_KEYS,
  PUBLIC_KEYS,
  PUBLIC_NAMES,
  PUBLIC_PREFIXES,
} from './public-words.ts';

/** Pseudonyms for the names of users. */
export interface Pseudonymizer {
  readonly name: (name: string) => string;
  readonly namespace: (namespace: string) => string;
  /** Prefixes of keys that the options name. */
  readonly prefixes: readonly string[];
  /** Keys of labels whose values are compared as numbers. */
  readonly compared: ReadonlySet<string>;
  /** The text of the priority expander's ConfigMap. */
  readonly priorities: string;
}

/** A scenario's document with other names. */
export function redactedScenario(document: Manifest, renaming: Pseudonymizer): Manifest {
  const { metadata, options, nodeGroups, objects, excludedNodes, notices, pauses, externalChoices, ...rest } =
    document as ScenarioDocument;
  return {
    ...rest,
    metadata: { name: named(metadata.name, renaming) },
    options: redactedOptions(options, renaming),
    nodeGroups: nodeGroups.map(({ options: own, pause, ...group }) => ({
      ...(redacted(group, '', renaming) as Manifest),
      options: own,
      pause: pause && redactedPause(pause as Manifest, renaming),
    })),
    objects: objects.map((object) => redactedObject(object, renaming)),
    notices: notices?.map((notice) => ({ ...(redacted(notice, '', renaming) as Manifest), kind: notice.kind })),
    pauses: pauses?.map((pause) => redactedPause(pause, renaming)),
    externalChoices: redacted(externalChoices, '', renaming),
    excludedNodes: excludedNodes?.map(({ node, reason }) => ({
      node: named(node, renaming),
      reason,
      message: REDACTED,
    })),
  };
}

interface ScenarioDocument extends Manifest {
  readonly metadata: { readonly name: string };
  readonly options: Manifest;
  readonly nodeGroups: readonly Manifest[];
  readonly objects: readonly Manifest[];
  readonly notices?: readonly Manifest[];
  readonly pauses?: readonly Manifest[];
  readonly externalChoices?: readonly Manifest[];
  readonly excludedNodes?: readonly { readonly node: string; readonly reason: string }[];
}

const redactedPause = ({ group, ...pause }: Manifest, renaming: Pseudonymizer): Manifest => ({
  ...pause,
  group: group && named(group as string, renaming),
});

const REDACTED = 'redacted';
/** Texts for people. */
const MESSAGES: ReadonlySet<string> = new Set(['message', 'error', 'templateProblem', 'paused', 'invalid']);

const OPTIONS: Readonly<Record<string, (value: string, renaming: Pseudonymizer) => string>> = {
  namespace: (namespace, renaming) => renaming.namespace(namespace),
  balancingIgnoreLabel: keyOf,
  balancingLabel: keyOf,
  startupTaint: keyOf,
  startupTaintPrefix: prefixOf,
  statusTaint: keyOf,
  bypassedSchedulerNames: named,
  allowedSchedulerNames: named,
  externalExpander: (arn) => (arn === '' ? '' : 'arn:aws:lambda:us-east-1:111122223333:function:expander'),
};

function redactedOptions(options: Manifest, renaming: Pseudonymizer): Manifest {
  return Object.fromEntries(
    Object.entries(options).map(([option, value]) => {
      const rename = OPTIONS[option];
      if (rename === undefined) {
        return [option, value];
      }
      if (Array.isArray(value)) {
        return [option, value.map((one: string) => rename(one, renaming))];
      }
      return [option, rename(value as string, renaming)];
    }),
  );
}

function redactedObject(object: Manifest, renaming: Pseudonymizer): Manifest {
  const { kind, metadata } = object as { readonly kind: string; readonly metadata: { readonly name: string } };
  if (kind === 'Namespace') {
    const { name, ...rest } = metadata;
    return {
      ...object,
      metadata: { ...(redacted(rest, 'metadata', renaming) as Manifest), name: renaming.namespace(name) },
    };
  }
  const { data, ...rest } = object;
  const written = redacted(rest, '', renaming) as Manifest;
  if (data === undefined) {
    return written;
  }
  return { ...written, data: redactedData(metadata.name, data as Manifest, renaming) };
}

/** The priority expander's ConfigMap is the only ConfigMap that is read. */
function redactedData(name: string, data: Manifest, { priorities }: Pseudonymizer): Manifest {
  if (name !== PRIORITY_CONFIG_MAP.name || !(PRIORITY_CONFIG_MAP.key in data)) {
    return {};
  }
  return { [PRIORITY_CONFIG_MAP.key]: data[PRIORITY_CONFIG_MAP.key] === '' ? '' : priorities };
}

/** Maps from the names of resources to amounts. */
const AMOUNTS: ReadonlySet<string> = new Set([
  'allocatable',
  'allocatedResources',
  'capacity',
  'hard',
  'limits',
  'overhead',
  'requests',
  'used',
]);
/** Maps from keys to values. */
const LABELS: ReadonlySet<string> = new Set(['annotations', 'labels', 'matchLabels', 'nodeSelector', 'parameters']);

function redacted(value: unknown, field: string, renaming: Pseudonymizer): unknown {
  if (typeof value === 'string') {
    return redactedText(value, field, renaming);
  }
  if (Array.isArray(value)) {
    return value.map((item) => redacted(item, field, renaming));
  }
  if (typeof value !== 'object' || value === null || AMOUNTS.has(field)) {
    return value;
  }
  const fields = Object.entries(value as Manifest);
  if (LABELS.has(field)) {
    return Object.fromEntries(fields.map(([key, of]) => [keyOf(key, renaming), valueOf(key, of as string, renaming)]));
  }
  if (field === 'disruptedPods') {
    return Object.fromEntries(fields.map(([pod, time]) => [named(pod, renaming), time]));
  }
  const { key, values, value: single, ...rest } = value as Manifest;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, redacted(inner, name, renaming)])),
    ...redactedRequirement({ key, values, value: single }, renaming),
  };
}

/** Requirements, taints and tolerations have a key, which says what the value is. */
function redactedRequirement({ key, values, value }: Manifest, renaming: Pseudonymizer): Manifest {
  const texts = values as readonly string[] | undefined;
  if (typeof key !== 'string') {
    // The scope of a quota: names of classes.
    return { values: texts?.map((one) => named(one, renaming)), value };
  }
  return {
    key: keyOf(key, renaming),
    values: texts?.map((one) => valueOf(key, one, renaming)),
    value: mapOptional(value as string | undefined, (text) => valueOf(key, text, renaming)),
  };
}

const KEY_FIELDS: ReadonlySet<string> = new Set(['topologyKey', 'matchLabelKeys', 'mismatchLabelKeys']);
const NAMESPACE_FIELDS: ReadonlySet<string> = new Set(['namespace', 'namespaces']);
const API_VERSIONS: ReadonlySet<string> = new Set([
  'apps/v1',
  'batch/v1',
  'policy/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
]);

function redactedText(text: string, field: string, renaming: Pseudonymizer): string {
  if (text === '' || isPlainText(text, field)) {
    return text;
  }
  if (NAMESPACE_FIELDS.has(field)) {
    return renaming.namespace(text);
  }
  if (KEY_FIELDS.has(field)) {
    return keyOf(text, renaming);
  }
  if (MESSAGES.has(field)) {
    return REDACTED;
  }
  if (field === 'providerID') {
    return providerIdOf(text, renaming);
  }
  // The ID of a failed launch contains its group's name.
  if (field === 'id' && text.startsWith(LAUNCH_FAILURE_PREFIX)) {
    return `${LAUNCH_FAILURE_PREFIX}${named(text.slice(LAUNCH_FAILURE_PREFIX.length), renaming)}`;
  }
  return named(text, renaming);
}

const isPlainText = (text: string, field: string): boolean =>
  PLAIN_FIELDS.has(field) ||
  (field === 'kind' && Object.hasOwn(KINDS, text)) ||
  (field === 'apiVersion' && API_VERSIONS.has(text));

/** `aws:///us-east-1a/i-…`: the zone stays, and the instance has the name that the groups have it by. */
function providerIdOf(id: string, renaming: Pseudonymizer): string {
  const [, start = '', last = ''] = /^(aws:\/\/\/[a-z]{2,4}(?:-[a-z]+)+-\d[a-z0-9-]*\/)?(.*)$/s.exec(id) ?? [];
  return `${start}${named(last, renaming)}`;
}

function named(name: string, renaming: Pseudonymizer): string {
  return name === '' || PUBLIC_NAMES.has(name) ? name : renaming.name(name);
}

const longestFirst = (prefixes: readonly string[]): readonly string[] =>
  prefixes.toSorted((a, b) => b.length - a.length);

const prefixIn = (text: string, prefixes: readonly string[]): string | undefined =>
  longestFirst(prefixes).find((prefix) => prefix !== '' && text.startsWith(prefix) && text !== prefix);

/** Pseudonym for the key of a label, an annotation or a taint. */
function keyOf(key: string, renaming: Pseudonymizer): string {
  if (PUBLIC_KEYS.has(key)) {
    return key;
  }
  const known = prefixIn(key, PUBLIC_PREFIXES);
  if (known !== undefined) {
    return `${known}${named(key.slice(known.length), renaming)}`;
  }
  const own = prefixIn(key, renaming.prefixes);
  if (own !== undefined) {
    return `${prefixOf(own, renaming)}${named(key.slice(own.length), renaming)}`;
  }
  return named(key, renaming);
}

function prefixOf(prefix: string, renaming: Pseudonymizer): string {
  const isKnown = prefix === '' || PUBLIC_PREFIXES.some((known) => known === prefix);
  return isKnown ? prefix : `${named(prefix, renaming)}/`;
}

const FLAG = /^(?:true|false)?$/i;
/** Numbers, durations and times, as the known annotations and taints have them. */
const FIGURE = /^(?:[tf]|-?\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+|\d{4}-\d\d-\d\dT[\d:.]+Z)$/i;
const NUMBER = /^[+-]?\d+$/;

/** Pseudonym for the value of a label, an annotation or a taint. */
function valueOf(key: string, value: string, renaming: Pseudonymizer): string {
  if (isPublicValue(key, value, renaming)) {
    return value;
  }
  return key === 'kubernetes.io/metadata.name' ? renaming.namespace(value) : named(value, renaming);
}

function isPublicValue(key: string, value: string, { compared }: Pseudonymizer): boolean {
  if (PLAIN_KEYS.has(key)) {
    return !INSTANCE_TYPE_KEYS.has(key) || INSTANCE_TYPE.test(value);
  }
  if (NAMING_KEYS.has(key)) {
    return false;
  }
  if (PUBLIC_KEYS.has(key)) {
    return FLAG.test(value) || FIGURE.test(value);
  }
  return FLAG.test(value) || (compared.has(key) && NUMBER.test(value));
}

import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { compileRegularExpression } from '@outrigger/core/model/values/regular-expression.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { EMPTY_STATE } from '@outrigger/core/model/state.ts';
import type { Manifest } from '../../manifest/fields.ts';
import { writeScenario } from '../scenario.ts';
import { pseudonymsFor, type Pseudonyms } from './pseudonyms.ts';
import { PUBLIC_NAMESPACE, PUBLIC_OBJECT } from './public-words.ts';
import { redactedScenario, type Pseudonymizer } from './walk.ts';

export interface RedactedScenario {
  /** A scenario's document with other names and the same decision. */
  readonly document: Manifest;
  /** Each replaced name, by its pseudonym. */
  readonly originals: Readonly<Record<string, string>>;
}

/**
 * Writes a scenario without what users named: names, namespaces, keys and values of labels, annotations and taints, UIDs and
 * messages are replaced, equal ones by equal ones and in the same order. Words of Kubernetes, AWS and Outrigger stay, and so
 * do amounts, times, zones, options and the names of resources. What is not known to be public is replaced.
 *
 * @param scenario a snapshot, which has no state. A state is left out: reservations know their pods by digests of what
 *   is replaced here.
 */
export function redact(scenario: Scenario): RedactedScenario {
  const given = writeScenario({ ...scenario, state: EMPTY_STATE });
  const found = { names: new Set<string>(), namespaces: new Set<string>(), claims: ephemeralClaims(scenario) };
  const collecting: Pseudonymizer = {
    name: (name) => {
      found.names.add(name);
      return name;
    },
    namespace: (namespace) => {
      found.namespaces.add(namespace);
      return namespace;
    },
    prefixes: scenario.options.startupTaintPrefix,
    compared: comparedKeys(scenario),
    priorities: '',
  };
  redactedScenario(given, collecting);
  for (const [claim, [pod, volume]] of found.claims) {
    found.names.delete(claim);
    found.names.add(pod).add(volume);
  }
  const names = pseudonymsFor(found.names, 'name', PUBLIC_OBJECT);
  // Namespaces are compared together with the names of their objects, as `namespace/name`.
  const namespaces = pseudonymsFor(found.namespaces, 'namespace', PUBLIC_NAMESPACE, '/');
  const nameOf = (name: string): string => {
    const parts = found.claims.get(name) ?? [name];
    return parts.map((part) => getExisting(names, part)).join('-');
  };
  const document = redactedScenario(given, {
    ...collecting,
    name: nameOf,
    namespace: (namespace) => getExisting(namespaces, namespace),
    priorities: prioritiesOf(scenario, nameOf),
  });
  return { document, originals: { ...originalsOf(names), ...originalsOf(namespaces) } };
}

const originalsOf = (pseudonyms: Pseudonyms): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...pseudonyms].filter(([name, pseudonym]) => name !== pseudonym).map(([name, pseudonym]) => [pseudonym, name]),
  );

/** Names of claims of generic ephemeral volumes, with the names of pod and volume that they consist of. */
function ephemeralClaims({ objects: { pods } }: Scenario): ReadonlyMap<string, readonly [string, string]> {
  return new Map(
    pods.flatMap(({ name, spec }) =>
      spec.volumes
        .filter(({ kind }) => kind === 'ephemeralClaim')
        .map((volume): [string, readonly [string, string]] => [`${name}-${volume.name}`, [name, volume.name]]),
    ),
  );
}

/** Keys of node labels that are compared as numbers. */
function comparedKeys({ objects }: Scenario): ReadonlySet<string> {
  const specs = [...objects.pods, ...objects.controllers.flatMap(({ template }) => template ?? [])];
  const terms = specs.flatMap(({ spec: { nodeAffinity, preferredNodeAffinity } }) => [
    ...(nodeAffinity ?? []),
    ...preferredNodeAffinity.map(({ term }) => term),
  ]);
  return new Set(
    [...terms, ...objects.persistentVolumes.flatMap(({ nodeAffinity }) => nodeAffinity ?? [])]
      .flatMap(({ matchExpressions }) => matchExpressions)
      .filter(({ operator }) => operator === 'Gt' || operator === 'Lt')
      .map(({ key }) => key),
  );
}

/** The priorities of the groups by their new names, as patterns that match these alone. */
function prioritiesOf({ objects, nodeGroups }: Scenario, nameOf: (name: string) => string): string {
  const tiers = objects.configMaps.find(({ priorities }) => priorities !== null)?.priorities;
  if (tiers?.ok !== true) {
    // A text that cannot be read is replaced by another unreadable text.
    return 'redacted';
  }
  const lines = tiers.value.map(({ priority, patterns }) => {
    const compiled = patterns.map(compileRegularExpression);
    const matched = nodeGroups.filter(({ name }) => compiled.some((one) => one.ok && one.value.matches(name)));
    return `${priority}: ${JSON.stringify(matched.map(({ name }) => `^${nameOf(name)}$`))}\n`;
  });
  return lines.join('') || '{}';
}

import type { QuotaScope, ResourceQuota } from '@outrigger/core/model/cluster/resource-quota.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { PODS, type Resources } from '@outrigger/core/model/values/resources.ts';
import { amountOf, expectedQuantity, writeQuantity } from './amounts.ts';
import {
  type Manifest,
  type Section,
  type SectionReader,
  itemsReader,
  manifest,
  nameIn,
  objectIn,
  reportIn,
  stringIn,
  stringsReader,
  unlessEmpty,
} from './fields.ts';
import { type Invalid, fieldOf, itemOf, report } from './invalid.ts';
import { namespaceOf, partsOf, writeMetadata } from './metadata.ts';
import { MOST_READ } from './most-read.ts';

const REQUESTS = 'requests.';
const LIMITS = 'limits.';
/** Other names limit other objects than pods. */
const OF_PODS = /^(?:requests\.|limits\.|cpu$|memory$|ephemeral-storage$|hugepages-|pods$|count\/pods$)/;

const scopeNamesIn = stringsReader(MOST_READ.requirements);
const scopeValuesIn = stringsReader(MOST_READ.values);

export const resourceQuotaReader: SectionReader<ResourceQuota> = (from) => {
  const { metadata, spec } = partsOf(from);
  const status = objectIn(from, 'status');
  const selector = objectIn(spec, 'scopeSelector');
  // A new quota has no status until its controller has counted what is used.
  const isCounted = status.fields['hard'] !== undefined;
  return {
    namespace: namespaceOf(metadata),
    name: nameIn(metadata, 'name'),
    hard: amountsOf(isCounted ? status : spec, 'hard'),
    used: amountsOf(status, 'used'),
    scopes: [
      ...scopeNamesIn(spec, 'scopes').map((name, i) => {
        const scope = { name, operator: 'Exists', values: [] };
        reportScope(scope, itemOf(fieldOf(spec.place, 'scopes'), i), spec.problems);
        return scope;
      }),
      ...scopesIn(selector, 'matchExpressions'),
    ],
  };
};

const OF_AMOUNTS = {
  hard: { round: Math.floor, both: Math.min },
  used: { round: Math.ceil, both: Math.max },
} as const;

/** Amounts of pods by name, in whole units. Of two amounts with the same meaning, the one that leaves less counts. */
function amountsOf(status: Section, field: 'hard' | 'used'): Resources {
  const given = objectIn(status, field);
  const { round, both } = OF_AMOUNTS[field];
  const amounts: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(given.fields)) {
    if (!OF_PODS.test(name)) {
      continue;
    }
    const resource = nameOfAmount(name);
    const amount = amountOf(unitOf(resource), quantity);
    if (amount === null) {
      reportIn(given, name, expectedQuantity(quantity));
    } else {
      amounts[resource] = both(valueOf(amounts, resource) ?? round(amount), round(amount));
    }
  }
  return amounts;
}

function nameOfAmount(name: string): string {
  return name === 'count/pods' ? PODS : withoutPrefix(name, REQUESTS);
}

/** The resource whose unit an amount of this name has. */
const unitOf = (name: string): string => withoutPrefix(name, LIMITS);

const withoutPrefix = (name: string, prefix: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;

const EXISTS = ['Exists'];
/** The operators of each scope (`ValidateResourceQuotaSpec` of k8s.io/kubernetes/pkg/apis/core/validation, 1.37). */
const OPERATORS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Terminating', EXISTS],
  ['NotTerminating', EXISTS],
  ['BestEffort', EXISTS],
  ['NotBestEffort', EXISTS],
  ['CrossNamespacePodAffinity', EXISTS],
  ['PriorityClass', ['In', 'NotIn', 'Exists', 'DoesNotExist']],
  ['VolumeAttributesClass', ['In', 'NotIn', 'Exists', 'DoesNotExist']],
]);

const readScope: SectionReader<QuotaScope> = (from) => {
  const scope = {
    name: nameIn(from, 'scopeName'),
    operator: stringIn(from, 'operator'),
    values: scopeValuesIn(from, 'values'),
  };
  reportScope(scope, from.place, from.problems);
  return scope;
};

const scopesIn = itemsReader(readScope, MOST_READ.requirements);

/** A scope that is misunderstood would count no pod, so that the quota would limit nothing. */
function reportScope({ name, operator, values }: QuotaScope, place: string, problems: Invalid[]): void {
  const operators = OPERATORS.get(name);
  if (operators === undefined) {
    report(problems, fieldOf(place, 'scopeName'), `one of ${[...OPERATORS.keys()].join(', ')}`, name);
  } else if (!operators.includes(operator)) {
    report(problems, fieldOf(place, 'operator'), `one of ${operators.join(', ')}`, operator);
  } else if (values.length > 0 !== operator.endsWith('In')) {
    report(problems, fieldOf(place, 'values'), operator.endsWith('In') ? 'at least one value' : 'no values', values);
  }
}

/** The substitute for a quota that cannot be read: it leaves its namespace no virtual pod. */
export const unreadableQuota = ({ namespace, name }: ResourceQuota): ResourceQuota | null =>
  namespace === '' ? null : { namespace, name, hard: { [PODS]: 0 }, used: {}, scopes: [] };

const writeScope = ({ name, operator, values }: QuotaScope): Manifest =>
  manifest({ scopeName: name, operator, values });

const writeQuotaAmounts = (amounts: Resources): Manifest =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [
      name === PODS || name.startsWith(LIMITS) ? name : `${REQUESTS}${name}`,
      writeQuantity(unitOf(name), amount),
    ]),
  );

/** Writes a quota as a manifest that reads as an equal one. */
export const writeResourceQuota = (of: ResourceQuota): Manifest => ({
  metadata: writeMetadata({ namespace: of.namespace, name: of.name }),
  spec: manifest({ scopeSelector: unlessEmpty(manifest({ matchExpressions: of.scopes.map(writeScope) })) }),
  status: manifest({ hard: writeQuotaAmounts(of.hard), used: writeQuotaAmounts(of.used) }),
});

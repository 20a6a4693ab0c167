import type { QuotaScope, ResourceQuota } from '../../core/model/cluster/resource-quota.ts';
import { valueOf } from '../../core/model/values/records.ts';
import type { Resources } from '../../core/model/values/resources.ts';
import { amountOf, expectedQuantity, writeAmounts } from './amounts.ts';
import {
  type Fields,
  itemsIn,
  type Manifest,
  manifest,
  nameIn,
  objectIn,
  optionalObjectIn,
  readFields,
  stringIn,
  stringsIn,
  unlessEmpty,
} from './fields.ts';
import { entryOf, type Invalid, type Reader, fieldOf, report } from './invalid.ts';
import { metadataOf, nameOf, namespaceOf, writeMetadata } from './metadata.ts';
import { MOST_READ } from './most-read.ts';

const REQUESTS = 'requests.';
/** Other names are of other objects, or of limits. */
const REQUESTED = /^(?:requests\.|cpu$|memory$|ephemeral-storage$|hugepages-)/;

export const resourceQuotaReader: Reader<ResourceQuota> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  const spec = objectIn(object, 'spec', place, problems);
  const status = objectIn(object, 'status', place, problems);
  const at = fieldOf(place, 'spec');
  const selector = optionalObjectIn(spec, 'scopeSelector', at, problems) ?? {};
  return {
    namespace: namespaceOf(metadata, problems),
    name: nameOf(metadata, problems),
    hard: requestsOf(status, 'hard', fieldOf(place, 'status'), problems, Math.min),
    used: requestsOf(status, 'used', fieldOf(place, 'status'), problems, Math.max),
    scopes: [
      ...stringsIn(spec, 'scopes', at, problems, MOST_READ.requirements).map((name) => ({
        name,
        operator: 'Exists',
        values: [],
      })),
      ...itemsIn(
        selector,
        'matchExpressions',
        fieldOf(at, 'scopeSelector'),
        problems,
        readScope,
        MOST_READ.requirements,
      ),
    ],
  };
};

/**
 * What pods request, by resource, in whole units.
 *
 * @param both of two amounts that are of the same resource, the one that leaves less room.
 */
function requestsOf(
  status: Fields,
  field: 'hard' | 'used',
  place: string,
  problems: Invalid[],
  both: (a: number, b: number) => number,
): Resources {
  const given = optionalObjectIn(status, field, place, problems) ?? {};
  const round = field === 'hard' ? Math.floor : Math.ceil;
  const amounts: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(given)) {
    if (!REQUESTED.test(name)) {
      continue;
    }
    const resource = name.startsWith(REQUESTS) ? name.slice(REQUESTS.length) : name;
    const amount = amountOf(resource, quantity);
    if (amount === null) {
      report(problems, entryOf(fieldOf(place, field), name), expectedQuantity(quantity), quantity);
    } else {
      const known = valueOf(amounts, resource);
      amounts[resource] = known === undefined ? round(amount) : both(known, round(amount));
    }
  }
  return amounts;
}

const readScope: Reader<QuotaScope> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    name: nameIn(fields, 'scopeName', place, problems),
    operator: stringIn(fields, 'operator', place, problems),
    values: stringsIn(fields, 'values', place, problems, MOST_READ.values),
  };
};

const writeScope = ({ name, operator, values }: QuotaScope): Manifest =>
  manifest({ scopeName: name, operator, values });

const writeRequests = (amounts: Resources): Manifest =>
  Object.fromEntries(Object.entries(writeAmounts(amounts)).map(([name, amount]) => [`${REQUESTS}${name}`, amount]));

/** Writes a quota as a manifest that reads as an equal one. */
export const writeResourceQuota = (of: ResourceQuota): Manifest => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: writeMetadata({ namespace: of.namespace, name: of.name }),
  spec: manifest({ scopeSelector: unlessEmpty(manifest({ matchExpressions: of.scopes.map(writeScope) })) }),
  status: manifest({ hard: writeRequests(of.hard), used: writeRequests(of.used) }),
});

import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import { type CapacitySchedule, type LeastCapacity } from '@outrigger/core/model/capacity-schedule.ts';
import { parseQuantity } from '@outrigger/core/model/values/quantity.ts';
import { CPU, MEMORY, quantityScale } from '@outrigger/core/model/values/resources.ts';
import { type Invalid, report } from '../manifest/invalid.ts';
import { closed } from './document.ts';
import { readBy, writeBy } from './read.ts';
import { SCHEDULE_FIELDS, scheduleFields, scheduleOf } from './schedule.ts';
import { type ShortForm, shortForms } from './short-forms.ts';

const A_COUNT = 'a number of nodes of at least 1';

/** An amount that a node may have for pods. */
const amount = (resource: typeof CPU | typeof MEMORY, example: string) => {
  const expected = `an amount of ${resource} such as ${example}`;
  return z.union([z.number(), z.string()], expected).check((payload) => {
    const read = parseQuantity(String(payload.value), quantityScale(resource));
    if (!read.ok || read.value <= 0) {
      payload.issues.push({ code: 'custom', message: expected, input: payload.value });
    }
  });
};

const capacityObject = closed({
  nodes: z.int(A_COUNT).min(1, A_COUNT).optional().describe('How many nodes the group has at least.'),
  cpu: amount(CPU, '40').optional().describe('As many nodes as have so much CPU for pods.'),
  memory: amount(MEMORY, '100Gi').optional().describe('As many nodes as have so much memory for pods.'),
  ...SCHEDULE_FIELDS,
});

const A_CAPACITY =
  'a capacity schedule such as 3 from 0 8 * * 1-5 for 10h in Europe/Berlin, or with 40 cpu or 100Gi memory in place of 3';
const ONE_OF = 'one of nodes, cpu and memory';

/** `AMOUNT [cpu|memory] from CRON for DURATION [in ZONE]`. */
const SHORT = /^(\S{1,20})(?: (cpu|memory))? from (.+?) for (\S+)(?: in (\S+))?$/i;

/** Annotations of Cluster API come in lower case, and units of quantities begin with a capital. */
const inUnits = (text: string): string => text.replace(/[kmgtpe]i$/i, (unit) => `${firstItem(unit).toUpperCase()}i`);

const FORM: ShortForm<CapacitySchedule> = {
  one: A_CAPACITY,
  many: 'capacity schedules',
  fieldsOf(text) {
    const match = SHORT.exec(text);
    if (match === null) {
      return null;
    }
    const [, many = '', resource, schedule, duration, timeZone] = match;
    const least = resource === undefined ? { nodes: Number(many) } : { [resource.toLowerCase()]: inUnits(many) };
    return { ...least, schedule, duration, ...present({ timeZone }) };
  },
  read(fields, place, problems) {
    const read = readBy(capacityObject, fields, place, problems);
    if (read === null) {
      return null;
    }
    const schedule = scheduleOf(read);
    const least = leastOf(read, place, problems);
    if (schedule === null || typeof schedule === 'string') {
      report(problems, place, schedule ?? 'schedule and duration: when it is in force', fields);
      return null;
    }
    return mapOptional(least, (one) => ({ least: one, schedule }));
  },
  write: ({ least, schedule }) => {
    const amount = 'nodes' in least ? { nodes: least.nodes } : { [least.resource]: least.text };
    return writeBy(capacityObject, { ...amount, ...scheduleFields(schedule) });
  },
};

function leastOf(
  { nodes, cpu, memory }: Pick<z.output<typeof capacityObject>, 'nodes' | 'cpu' | 'memory'>,
  place: string,
  problems: Invalid[],
): LeastCapacity | null {
  const [one, ...others] = [
    mapOptional(nodes, (count) => ({ nodes: count })),
    mapOptional(cpu, (given) => amountOf(CPU, given)),
    mapOptional(memory, (given) => amountOf(MEMORY, given)),
  ].filter((given) => given !== undefined);
  if (one === undefined || others.length > 0) {
    problems.push({ place, expected: ONE_OF, found: one === undefined ? 'none of them' : 'several' });
    return null;
  }
  return one;
}

/** The schema has accepted the value, so it is a quantity. */
function amountOf(resource: typeof CPU | typeof MEMORY, given: string | number): LeastCapacity {
  const read = parseQuantity(String(given), quantityScale(resource));
  return { resource, amount: read.ok ? read.value : 0, text: String(given) };
}

const forms = shortForms(FORM, capacityObject, ['3 from 0 8 * * 1-5 for 10h in Europe/Berlin']);

export const capacitySchedules = forms.codec;
export const parseCapacitySchedules = forms.parse;

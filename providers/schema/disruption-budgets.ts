import * as z from 'zod';
import { DISRUPTION_REASONS, type DisruptionReason } from '../../core/model/disruption.ts';
import { budgetText, type DisruptionBudget, type Percentage, reasonText } from '../../core/model/disruption-budget.ts';
import { err, ok, type Result } from '../../core/model/values/result.ts';
import { explainInvalid, type Invalid, itemOf, type Reader, report } from '../manifest/invalid.ts';
import { closed } from './document.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { oneOf } from './known-fields.ts';
import { manifested, readBy, refuse, writeBy } from './read.ts';
import { SCHEDULE_FIELDS, scheduleFields, scheduleOf } from './schedule.ts';

const A_NUMBER = 'a number of nodes, or a percentage from 0% to 100%';

const nodes = z.codec(z.union([z.int(), z.string()], A_NUMBER), z.custom<number | Percentage>(), {
  decode: (given, ctx) => {
    const [, digits, sign] = /^(\d{1,6})(%?)$/.exec(String(given)) ?? [];
    const amount = Number(digits);
    return digits === undefined || (sign === '%' && amount > 100)
      ? refuse(ctx, A_NUMBER)
      : sign === '%'
        ? { percent: amount }
        : amount;
  },
  encode: (value) => (typeof value === 'number' ? value : `${value.percent}%`),
});

const REASON_TEXTS = DISRUPTION_REASONS.map(reasonText);

/** In lower case; as Karpenter writes them, with a capital, is the same. */
const reason = z.codec(
  z.string(`one of ${REASON_TEXTS.join(', ')}`).meta({ examples: REASON_TEXTS }),
  z.custom<DisruptionReason>(),
  {
    decode: (text, ctx) =>
      DISRUPTION_REASONS.find((one) => reasonText(one) === text.toLowerCase()) ??
      refuse(ctx, oneOf(REASON_TEXTS, text)),
    encode: reasonText,
  },
);

const REASONS = 'a list of at least one reason';

const budgetObject = closed({
  nodes: nodes.describe('How many nodes may be away at a time: a number, or a percentage, rounded up. 0: none goes.'),
  reasons: z
    .array(reason, REASONS)
    .min(1, REASONS)
    .optional()
    .describe('The reasons of removals that it is about; absent: all.'),
  ...SCHEDULE_FIELDS,
  unreadable: z.string('a string').optional().describe('Why it could not be read where it was written.'),
});

export const A_BUDGET =
  'a disruption budget such as 10%, 0 of drifted,expired, or 0 from 0 22 * * 1-5 for 8h in Europe/Berlin';

/** `NODES [of REASON,…] [from CRON for DURATION [in ZONE]]`. */
const SHORT = /^(\d{1,6}%?)(?: of ([a-z, ]+?))?(?: from (.+?) for (\S+)(?: in (\S+))?)?$/i;
/** A tag has 256 characters. */
const LONGEST_SHORT = 512;

/** The fields of the short form; `null` where it is none. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  const plain = text.trim().replaceAll(/\s+/g, ' ');
  const match = plain.length > LONGEST_SHORT ? null : SHORT.exec(plain);
  if (match === null) {
    return null;
  }
  const [, many, reasons, schedule, duration, timeZone] = match;
  return {
    nodes: many,
    ...(reasons !== undefined && { reasons: reasons.split(',').map((one) => one.trim()) }),
    ...(schedule !== undefined && { schedule, duration }),
    ...(timeZone !== undefined && { timeZone }),
  };
}

function readBudget(raw: unknown, place: string, problems: Invalid[]): DisruptionBudget | null {
  const fields = typeof raw === 'string' ? fieldsOf(raw) : raw;
  if (fields === null || fields === undefined || typeof fields !== 'object') {
    report(problems, place, A_BUDGET, raw);
    return null;
  }
  const read = readBy(budgetObject, fields, place, problems);
  const schedule = read === null ? null : scheduleOf(read);
  if (typeof schedule === 'string') {
    report(problems, place, schedule, raw);
  }
  return read === null || typeof schedule === 'string'
    ? null
    : { nodes: read.nodes, reasons: read.reasons ?? null, schedule, unreadable: read.unreadable ?? null };
}

/** Karpenter takes as many. */
const MOST_BUDGETS = 50;
const A_LIST = `a list of at most ${MOST_BUDGETS} disruption budgets`;

/** A list of objects and short forms, one of them without brackets, or short forms in one text. */
const readBudgets: Reader<readonly DisruptionBudget[]> = (raw, place, problems) => {
  if (!Array.isArray(raw)) {
    return typeof raw === 'string' ? budgetsIn(raw, place, problems) : one(readBudget(raw, place, problems));
  }
  if (raw.length > MOST_BUDGETS) {
    problems.push({ place, expected: A_LIST, found: `${raw.length} of them` });
    return [];
  }
  return raw.flatMap((item, index) => one(readBudget(item, itemOf(place, index), problems)));
};

const one = (budget: DisruptionBudget | null): readonly DisruptionBudget[] => (budget === null ? [] : [budget]);

/** Short forms between semicolons; an empty text is none. */
function budgetsIn(text: string, place: string, problems: Invalid[]): readonly DisruptionBudget[] {
  const parts = text.split(';').filter((part) => part.trim() !== '');
  if (parts.length > MOST_BUDGETS) {
    problems.push({ place, expected: A_LIST, found: `${parts.length} of them` });
    return [];
  }
  return parts.flatMap((part) => one(readBudget(part, place, problems)));
}

/**
 * Reads the short form of tags and annotations.
 *
 * @returns the budgets, or what was expected instead of the text.
 */
export function parseBudgets(text: string): Result<readonly DisruptionBudget[], string> {
  const problems: Invalid[] = [];
  const budgets = budgetsIn(text, '', problems);
  const [first] = problems;
  return first === undefined
    ? ok(budgets)
    : err(first.place === '' ? first.expected : `${A_BUDGET} (${explainInvalid(first)})`);
}

/** As tags and annotations have them. */
export const budgetsText = (budgets: readonly DisruptionBudget[]): string => budgets.map(budgetText).join('; ');

const writeBudget = ({ nodes: many, reasons, schedule, unreadable }: DisruptionBudget): unknown =>
  writeBy(budgetObject, {
    nodes: many,
    ...(reasons !== null && { reasons: [...reasons] }),
    ...scheduleFields(schedule),
    ...(unreadable !== null && { unreadable }),
  });

const oneBudget = {
  anyOf: [
    { type: 'string', examples: ['10%', '0 from 0 22 * * 1-5 for 8h in Europe/Berlin'] },
    jsonSchemaOf(budgetObject),
  ],
};

export const disruptionBudgets = manifested<readonly DisruptionBudget[]>(
  readBudgets,
  (budgets) => budgets.map(writeBudget),
  { anyOf: [...oneBudget.anyOf, { type: 'array', maxItems: MOST_BUDGETS, items: oneBudget }] },
);

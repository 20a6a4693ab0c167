import { present } from '@outrigger/core/model/values/present.ts';
import * as z from 'zod';
import { DISRUPTION_REASONS, type DisruptionReason } from '@outrigger/core/model/disruption.ts';
import { type NodeBudget, reasonText } from '@outrigger/core/model/node-budget.ts';
import { report } from '../manifest/invalid.ts';
import { closed } from './document.ts';
import { oneOf } from './known-fields.ts';
import { numberOrPercentage } from './number-or-percentage.ts';
import { readBy, refuse, writeBy } from './read.ts';
import { SCHEDULE_FIELDS, scheduleFields, scheduleOf } from './schedule.ts';
import { type ShortForm, shortForms } from './short-forms.ts';

const A_NUMBER = 'a number of nodes, or a percentage from 0% to 100%';

const nodes = numberOrPercentage(A_NUMBER);

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
  nodes: nodes.describe('Nodes that may be unavailable at a time: a number, or a percentage, rounded up.'),
  reasons: z
    .array(reason, REASONS)
    .min(1, REASONS)
    .optional()
    .describe('The reasons of removals that it is about; absent: all.'),
  ...SCHEDULE_FIELDS,
  unreadable: z.string('a string').optional().describe('Why the budget could not be read.'),
});

export const A_BUDGET =
  'a disruption budget such as 10%, 0 of drifted,expired, or 0 from 0 22 * * 1-5 for 8h in Europe/Berlin';

/** `NODES [of REASON,…] [from CRON for DURATION [in ZONE]]`. */
const SHORT = /^(\d{1,6}%?)(?: of ([a-z, ]+?))?(?: from (.+?) for (\S+)(?: in (\S+))?)?$/i;

const FORM: ShortForm<NodeBudget> = {
  one: A_BUDGET,
  many: 'disruption budgets',
  fieldsOf(text) {
    const match = SHORT.exec(text);
    if (match === null) {
      return null;
    }
    const [, nodes, listed, schedule, duration, timeZone] = match;
    const reasons = listed?.split(',').map((one) => one.trim());
    return present({ nodes, reasons, schedule, duration, timeZone });
  },
  read(fields, place, problems) {
    const read = readBy(budgetObject, fields, place, problems);
    if (read === null) {
      return null;
    }
    const schedule = scheduleOf(read);
    if (typeof schedule === 'string') {
      report(problems, place, schedule, fields);
      return null;
    }
    return { nodes: read.nodes, reasons: read.reasons ?? null, schedule, unreadable: read.unreadable ?? null };
  },
  write: ({ nodes: many, reasons, schedule, unreadable }) =>
    writeBy(budgetObject, {
      nodes: many,
      reasons: reasons?.slice(),
      ...scheduleFields(schedule),
      ...present({ unreadable }),
    }),
};

const forms = shortForms(FORM, budgetObject, ['10%', '0 from 0 22 * * 1-5 for 8h in Europe/Berlin']);

export const disruptionBudgets = forms.codec;
export const parseNodeBudgets = forms.parse;

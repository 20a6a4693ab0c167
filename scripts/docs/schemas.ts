import * as z from 'zod';
import { decisionDocument } from '../../providers/schema/decision.ts';
import { nodeGroup } from '../../providers/schema/node-group.ts';
import { scenario } from '../../providers/schema/scenario.ts';
import { stateParts } from '../../providers/schema/state.ts';
import { docsOf } from '../../providers/schema/documented.ts';
import { ofWorkloads, workloadGroup, workloadWarmPool } from '../../providers/schema/workload.ts';
import { head, row, withTables } from './marked-tables.ts';

/** Each field of an object, with what its schema says of it. */
const fieldsTable = ({ shape }: z.ZodObject): string =>
  [
    ...head('Field', 'Meaning', 'Absent'),
    ...Object.entries(shape).map(([name, field]) => {
      const { description, absent } = docsOf(field as z.ZodType);
      return row(`\`${name}\``, description, absent ?? 'an error');
    }),
  ].join('\n');

/** The parts of a decision, and their parts, as far as there is something to say of them. */
const decisionTable = (): string => [...head('Field', 'Holds'), ...rowsOf(decisionDocument, '')].join('\n');

const rowsOf = ({ shape }: z.ZodObject, prefix: string): readonly string[] =>
  Object.entries(shape).flatMap(([name, field]) => {
    const { description } = docsOf(field as z.ZodType);
    return [
      ...(description === '' ? [] : [row(`\`${prefix}${name}\``, description)]),
      ...(prefix === '' && name !== 'state' && field instanceof z.ZodObject ? rowsOf(field, `${name}.`) : []),
    ];
  });

const stateTable = (): string =>
  [...head('Field', 'Holds'), ...stateParts.map(([name, { help }]) => row(`\`${name}\``, help))].join('\n');

const TABLES = {
  'scenario-fields': () => fieldsTable(scenario),
  'node-group-fields': () => fieldsTable(nodeGroup),
  'state-fields': stateTable,
  'decision-fields': decisionTable,
  'workload-groups': () => fieldsTable(workloadGroup),
  'workload-warm-pools': () => fieldsTable(workloadWarmPool),
  'workload-pods': () => fieldsTable(z.object(ofWorkloads)),
};

/**
 * A page with its tables of fields as the schemas have them.
 *
 * @throws Error where a marker names no table, or has no end.
 */
export const withSchemas = (page: string): string => withTables(page, 'providers/schema', TABLES);

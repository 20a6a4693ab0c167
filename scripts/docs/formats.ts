import { DRAIN_FORMAT } from '../../providers/dynamodb/drains.ts';
import { FORMATS } from '../../providers/dynamodb/migrations.ts';
import { head, row, withTables } from './marked-tables.ts';

const HOLDS: Readonly<Record<keyof typeof FORMATS, string>> = {
  state: 'what concerns the whole cluster (`STATE`)',
  slot: 'what concerns single groups, nodes and pods, in slots',
  intents: 'what was decided and is not done',
  decision: 'the decisions of the last seven days, with their reasons',
};

const formats = (): string =>
  [
    ...head('Items', 'Hold', 'Format'),
    ...Object.entries(FORMATS).map(([kind, format]) => row(kind, HOLDS[kind as keyof typeof FORMATS], String(format))),
    row('drain', 'the drains of nodes, with what is known of their pods', String(DRAIN_FORMAT)),
  ].join('\n');

/**
 * A page with the formats of stored items.
 *
 * @throws Error where a marker names no table, or has no end.
 */
export const withFormats = (page: string): string =>
  withTables(page, 'providers/dynamodb', { 'stored-formats': formats });

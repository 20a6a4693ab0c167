import type { Statement } from './policies.ts';
import { resourcesOf, type Template } from './synthesize.ts';

/** A template in which one thing is missing or different. */
export interface Mutant {
  readonly name: string;
  /** Logical id of the role whose rights it is about; `null`: a resource's own policy. */
  readonly role: string | null;
  readonly effect: Statement['Effect'];
  readonly template: Template;
}

/** The names that people give: without the hash that the CDK adds. */
export const plain = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

interface Document {
  readonly Statement: readonly Statement[];
}

/** Places of policies: the type of the resource, and the property that holds the document. */
export const HOLDERS = [
  ['AWS::IAM::Policy', 'PolicyDocument'],
  ['AWS::SQS::QueuePolicy', 'PolicyDocument'],
  ['AWS::IAM::Role', 'AssumeRolePolicyDocument'],
] as const;

/** The template without each action of each statement. */
export function withoutActions(template: Template): readonly Mutant[] {
  return statementsOf(template).flatMap(({ id, roles, statement, replaced }) =>
    [statement.Action].flat().map((action) => ({
      name: `${plain(id)}: ${statement.Effect === 'Deny' ? 'refusing ' : ''}${action} on ${textOf(statement.Resource)}`,
      role: roles[0] ?? null,
      effect: statement.Effect,
      template: replaced({ ...statement, Action: [statement.Action].flat().filter((each) => each !== action) }),
    })),
  );
}

/** The template with each statement's condition about another thing; of those that have one. */
export function withOtherConditions(template: Template): readonly Mutant[] {
  return statementsOf(template)
    .filter(({ statement }) => statement.Condition !== undefined && statement.Effect === 'Allow')
    .map(({ id, roles, statement, replaced }) => ({
      name: `${plain(id)}: ${[statement.Action].flat().join(', ')} where ${JSON.stringify(statement.Condition)}`,
      role: roles[0] ?? null,
      effect: statement.Effect,
      template: replaced({
        ...statement,
        Condition: otherwise(statement.Condition) as NonNullable<Statement['Condition']>,
      }),
    }));
}

/** Each value and each name of a tag becomes another one. */
function otherwise(value: unknown): unknown {
  if (typeof value === 'string') return value === 'true' || value === 'false' ? value : `${value}-other`;
  if (Array.isArray(value)) return value.map(otherwise);
  const entries = Object.entries(value as object);
  const [[name] = ['']] = entries;
  if (name === 'Ref' || name.startsWith('Fn::')) return { 'Fn::Join': ['', [value, '-other']] };
  return Object.fromEntries(
    entries.map(([key, each]) => [key.startsWith('aws:ResourceTag/') ? `${key}-other` : key, otherwise(each)]),
  );
}

interface Place {
  readonly id: string;
  /** Logical ids of the roles that have the statement. */
  readonly roles: readonly string[];
  readonly statement: Statement;
  readonly replaced: (by: Statement) => Template;
}

function statementsOf(template: Template): readonly Place[] {
  return HOLDERS.flatMap(([type, property]) =>
    resourcesOf(template, type).flatMap(([id, { Properties = {} }]) => {
      const { Roles = [] } = Properties as { readonly Roles?: readonly { readonly Ref: string }[] };
      const document = Properties[property] as Document;
      return document.Statement.map((statement, index) => ({
        id,
        roles: Roles.map(({ Ref }) => Ref),
        statement,
        replaced: (by: Statement) => {
          // A statement without actions is none.
          const Statement =
            [by.Action].flat().length === 0
              ? document.Statement.toSpliced(index, 1)
              : document.Statement.with(index, by);
          return withProperties(template, id, { ...Properties, [property]: { ...document, Statement } });
        },
      }));
    }),
  );
}

const withProperties = (template: Template, id: string, Properties: Readonly<Record<string, unknown>>): Template => ({
  ...template,
  Resources: { ...template.Resources, [id]: { ...template.Resources[id]!, Properties } },
});

/** The template without each permission to call a function. */
export const withoutPermissions = (template: Template): readonly Mutant[] =>
  resourcesOf(template, 'AWS::Lambda::Permission').map(([id]) => {
    const { [id]: _, ...Resources } = template.Resources;
    return { name: plain(id), role: null, effect: 'Allow', template: { ...template, Resources } };
  });

/** Describes a resource in the words of the template. */
const textOf = (resource: unknown): string =>
  resource === undefined
    ? 'the role'
    : JSON.stringify(resource)
        .replaceAll(/["{}[\]]/g, '')
        .replaceAll(/([0-9A-F]{8})(?=,|$)/g, '');

/** Resources that lead from one thing to another. */
export const WIRES: readonly string[] = [
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::EKS::AccessEntry',
  'AWS::Events::Rule',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Url',
  'AWS::Scheduler::Schedule',
];

/** The template without each resource that leads from one thing to another, and without each part of these. */
export const withoutWires = (template: Template): readonly (readonly [name: string, template: Template])[] =>
  WIRES.flatMap((type) => resourcesOf(template, type)).flatMap(([id, { Properties = {} }]) => {
    const { [id]: _, ...Resources } = template.Resources;
    return [
      [plain(id), { ...template, Resources }] as const,
      ...reductions(Properties).map(
        ([path, reduced]) =>
          [`${plain(id)}.${path}`, withProperties(template, id, reduced as Readonly<Record<string, unknown>>)] as const,
      ),
    ];
  });

/** A value without each of its parts, at any depth, and what that is; a text that is JSON has parts, too. */
export function reductions(value: unknown): readonly (readonly [path: string, reduced: unknown])[] {
  const parts = partsOf(value);
  return parts.flatMap(({ name, part, without, replaced }) => [
    [name, without] as const,
    ...reductions(part).map(([path, reduced]) => [`${name}.${path}`, replaced(reduced)] as const),
  ]);
}

/** Property that nothing depends on. */
const FOR_PEOPLE = 'Description';

interface Part {
  readonly name: string;
  readonly part: unknown;
  readonly without: unknown;
  readonly replaced: (by: unknown) => unknown;
}

function partsOf(value: unknown): readonly Part[] {
  if (Array.isArray(value))
    return value.map((part: unknown, index) => ({
      name: typeof part === 'string' ? part : String(index),
      part,
      without: value.toSpliced(index, 1) as unknown,
      replaced: (by) => value.with(index, by) as unknown,
    }));
  if (typeof value === 'string' && /^\{.*\}$/s.test(value) && isJson(value))
    return partsOf(JSON.parse(value)).map((part) => ({
      ...part,
      without: JSON.stringify(part.without),
      replaced: (by) => JSON.stringify(part.replaced(by)),
    }));
  if (typeof value !== 'object' || value === null || isCall(value)) return [];
  const entries = Object.entries(value) as [string, unknown][];
  return entries
    .filter(([name]) => name !== FOR_PEOPLE)
    .map(([name, part]) => {
      const without = Object.fromEntries(entries.filter(([other]) => other !== name));
      return { name, part, without, replaced: (by) => ({ ...value, [name]: by }) };
    });
}

/** Is it an intrinsic function? */
const isCall = (value: object): boolean =>
  Object.keys(value).length === 1 && /^(?:Ref|Fn::.*)$/.test(Object.keys(value)[0]!);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

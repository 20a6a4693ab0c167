import type { Resource, Template } from './synthesize.ts';

/** Values that CloudFormation knows beside the template. */
export interface Surroundings {
  readonly account: string;
  readonly region: string;
  readonly stack: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The value of an attribute, or of `Ref`, of a resource that is there. */
  readonly attribute: (id: string, resource: Resource, name: string) => string;
}

/** Makes plain values of those with calls of intrinsic functions. */
export type Resolve = (value: unknown) => unknown;

/**
 * Evaluates CloudFormation's intrinsic functions, as
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html has them.
 *
 * @throws Error for a function that is not known here, or a name that the template does not have.
 */
export function resolver(template: Template, surroundings: Surroundings): Resolve {
  const resolve: Resolve = (value) => {
    if (Array.isArray(value)) return value.map(resolve).filter((each) => each !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [[name, argument] = ['', undefined]] = entries;
    if (entries.length === 1 && (name === 'Ref' || name === 'Condition' || name.startsWith('Fn::'))) {
      // A policy has statements with a key `Condition`, too, but never alone.
      return call(name, argument);
    }
    const resolved = entries.map(([key, each]) => [key, resolve(each)] as const);
    return Object.fromEntries(resolved.filter(([, each]) => each !== undefined));
  };
  const text = (value: unknown): string => String(resolve(value));
  const list = (value: unknown): readonly unknown[] => resolve(value) as readonly unknown[];

  const reference = (name: string): string | readonly string[] | undefined => {
    if (name.startsWith('AWS::')) return pseudo(name, surroundings);
    if (template.Parameters?.[name] !== undefined) {
      const value = surroundings.parameters[name] ?? template.Parameters[name].Default;
      if (value === undefined) throw new Error(`The template's parameter ${name} has no value: give it one`);
      return template.Parameters[name].Type === 'CommaDelimitedList' ? value.split(',') : value;
    }
    return attribute(name, 'Ref');
  };
  const attribute = (id: string, name: string): string => {
    const resource = template.Resources[id];
    if (resource === undefined) throw new Error(`The template refers to ${id}, which it does not have`);
    return surroundings.attribute(id, resource, name);
  };
  const substitute = (argument: unknown): string => {
    const [pattern, own] = (Array.isArray(argument) ? argument : [argument, {}]) as [string, Record<string, unknown>];
    return pattern.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      if (Object.hasOwn(own, name)) return text(own[name]);
      const dot = name.indexOf('.');
      return dot < 0 ? String(reference(name)) : attribute(name.slice(0, dot), name.slice(dot + 1));
    });
  };

  const functions: Readonly<Record<string, (argument: never) => unknown>> = {
    Ref: (name: string) => reference(name),
    Condition: (name: string) => resolve(template.Conditions?.[name]),
    'Fn::GetAtt': (argument: string | readonly [string, string]) => {
      const [id, name] = typeof argument === 'string' ? argument.split('.', 2) : [...argument];
      return attribute(id ?? '', name ?? '');
    },
    'Fn::Sub': substitute,
    'Fn::Join': ([separator, parts]: [string, unknown]) => list(parts).join(separator),
    'Fn::Split': ([separator, whole]: [string, unknown]) => text(whole).split(separator),
    'Fn::Select': ([index, parts]: [unknown, unknown]) => list(parts)[Number(resolve(index))],
    'Fn::If': ([name, yes, no]: [string, unknown, unknown]) =>
      resolve(resolve(template.Conditions?.[name]) === true ? yes : no),
    'Fn::Equals': ([a, b]: [unknown, unknown]) => text(a) === text(b),
    'Fn::Not': ([condition]: [unknown]) => resolve(condition) !== true,
    'Fn::And': (conditions: readonly unknown[]) => conditions.every((each) => resolve(each) === true),
    'Fn::Or': (conditions: readonly unknown[]) => conditions.some((each) => resolve(each) === true),
    'Fn::FindInMap': ([map, first, second]: [unknown, unknown, unknown]) =>
      template.Mappings?.[text(map)]?.[text(first)]?.[text(second)],
  };
  const call = (name: string, argument: unknown): unknown => {
    const apply = functions[name];
    if (apply === undefined) throw new Error(`The template calls ${name}, which is not known here: add it`);
    return apply(argument as never);
  };
  return resolve;
}

function pseudo(name: string, { account, region, stack }: Surroundings): string | undefined {
  const values: Readonly<Record<string, string | undefined>> = {
    'AWS::AccountId': account,
    'AWS::Region': region,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stack,
    'AWS::StackId': `arn:aws:cloudformation:${region}:${account}:stack/${stack}/1`,
    'AWS::NoValue': undefined,
  };
  if (!Object.hasOwn(values, name)) throw new Error(`The template refers to ${name}, which is not known here: add it`);
  return values[name];
}

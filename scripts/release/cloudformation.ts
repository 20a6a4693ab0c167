import { isDeepStrictEqual } from 'node:util';

/** A CloudFormation template, or a part of it, as JSON. */
type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

/** A resource or an output. The conditions must all hold; CloudFormation knows one condition alone (`withNamedConditions`). */
interface Entry extends JsonObject {
  readonly conditions?: readonly string[];
}

/** The parts of a template that differ between settings. */
export interface Template {
  readonly Parameters: JsonObject;
  readonly Conditions: JsonObject;
  readonly Resources: Readonly<Record<string, Entry>>;
  readonly Outputs: Readonly<Record<string, Entry>>;
}

/** A value of a template under a condition. Of the conditions of several alternatives exactly one is true. */
interface Alternative<Value> {
  readonly condition: string;
  readonly value: Value;
}

/** Takes the parts of a template that the CDK has synthesized. */
export function templateFrom(synthesized: JsonObject): Template {
  const entries = (section: string): Readonly<Record<string, Entry>> =>
    mapValues((synthesized[section] ?? {}) as Readonly<Record<string, JsonObject>>, (entry) => {
      // The metadata name the path of the resource in the app.
      const { Condition, Metadata: _, ...rest } = entry;
      return { ...rest, ...(Condition === undefined ? {} : { conditions: [Condition as string] }) };
    });
  return {
    Parameters: (synthesized['Parameters'] ?? {}) as JsonObject,
    Conditions: (synthesized['Conditions'] ?? {}) as JsonObject,
    Resources: entries('Resources'),
    Outputs: entries('Outputs'),
  };
}

/**
 * Makes one template of several, of which each is for one value of a parameter.
 *
 * @param alternatives the templates by the condition that the parameter has the value
 * @throws Error for a difference that CloudFormation's conditions cannot express
 */
export function mergeTemplates(alternatives: readonly Alternative<Template>[]): Template {
  const section = (name: 'Resources' | 'Outputs'): Template['Resources'] =>
    mergeKeys(
      alternatives.map(({ condition, value }) => ({ condition, value: value[name] })),
      mergeEntries,
    );
  const same = (name: 'Parameters' | 'Conditions'): JsonObject =>
    Object.assign({}, ...alternatives.map(({ value }) => value[name])) as JsonObject;
  return {
    Parameters: same('Parameters'),
    Conditions: same('Conditions'),
    Resources: section('Resources'),
    Outputs: section('Outputs'),
  };
}

/** Gives conditions that must hold together a name. */
export function withNamedConditions(template: Template): Record<keyof Template, JsonObject> {
  const named = (entries: Template['Resources']): JsonObject =>
    mapValues(entries, ({ conditions, ...rest }) =>
      conditions === undefined ? rest : { ...rest, Condition: conditions.join('And') },
    );
  const together = [...Object.values(template.Resources), ...Object.values(template.Outputs)].flatMap(
    ({ conditions = [] }) =>
      conditions.length < 2
        ? []
        : [[conditions.join('And'), { 'Fn::And': conditions.map((Condition) => ({ Condition })) }] as const],
  );
  return {
    Parameters: template.Parameters,
    Conditions: { ...template.Conditions, ...Object.fromEntries(together) },
    Resources: named(template.Resources),
    Outputs: named(template.Outputs),
  };
}

/** Merges objects key by key; a key that some of them lack has fewer alternatives than there are objects. */
const mergeKeys = <Value, Merged>(
  alternatives: readonly Alternative<Readonly<Record<string, Value>>>[],
  merge: (present: readonly Alternative<Value>[], of: readonly Alternative<unknown>[]) => Merged,
): Readonly<Record<string, Merged>> => {
  const keys = new Set(alternatives.flatMap(({ value }) => Object.keys(value)));
  return Object.fromEntries(
    [...keys].map((key) => {
      const present = alternatives.flatMap(({ condition, value }) =>
        Object.hasOwn(value, key) ? [{ condition, value: value[key]! }] : [],
      );
      return [key, merge(present, alternatives)];
    }),
  );
};

/** Merges a resource or output. Only its properties, and its value, may differ. */
function mergeEntries(present: readonly Alternative<Entry>[], of: readonly Alternative<unknown>[]): Entry {
  const own = present[0]!.value.conditions ?? [];
  const absent = of.length - present.length;
  if (
    present.some(({ value }) => !isDeepStrictEqual(value.conditions ?? [], own)) ||
    (absent > 0 && present.length > 1)
  ) {
    throw new Error(`${JSON.stringify(present[0]!.value)}: no single condition says when this is there`);
  }
  const conditions = absent === 0 ? own : [...own, present[0]!.condition];
  const needed = [...new Set(present.flatMap(({ value }) => (value['DependsOn'] ?? []) as readonly string[]))].sort();
  const {
    conditions: _,
    DependsOn: __,
    ...merged
  } = mergeKeys(
    present.map(({ condition, value }) => ({ condition, value })),
    (values, all) => (values.length === 1 && all.length === 1 ? values[0]!.value : mergeValues(values, all)),
  ) as Entry;
  return {
    ...merged,
    // CloudFormation passes over a dependency whose condition is false.
    ...(needed.length === 0 ? {} : { DependsOn: needed }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** Merges values: equal ones as they are, objects and lists member by member, all others by `Fn::If`. */
function mergeValues(present: readonly Alternative<Json>[], of: readonly Alternative<unknown>[]): Json {
  const [first] = present;
  const complete = present.length === of.length;
  if (complete && present.every(({ value }) => isDeepStrictEqual(value, first!.value))) {
    return first!.value;
  }
  if (complete && areAll(present, isPlainObject)) {
    return mergeKeys(present, mergeValues);
  }
  if (complete && areAll(present, Array.isArray) && new Set(present.map(({ value }) => value.length)).size === 1) {
    return present[0]!.value.map((_, index) =>
      mergeValues(
        present.map(({ condition, value }) => ({ condition, value: value[index] as Json })),
        of,
      ),
    );
  }
  const values = new Map(present.map(({ condition, value }) => [condition, value]));
  const valueOf = (condition: string): Json =>
    values.has(condition) ? values.get(condition) : { Ref: 'AWS::NoValue' };
  const conditions = of.map(({ condition }) => condition);
  return conditions
    .slice(0, -1)
    .reduceRight<Json>((rest, condition) => choose(condition, valueOf(condition), rest), valueOf(conditions.at(-1)!));
}

const choose = (condition: string, value: Json, rest: Json): Json =>
  isDeepStrictEqual(value, rest) ? rest : { 'Fn::If': [condition, value, rest] };

function areAll<Value extends Json>(
  alternatives: readonly Alternative<Json>[],
  is: (value: Json) => value is Value,
): alternatives is readonly Alternative<Value>[] {
  return alternatives.every(({ value }) => is(value));
}

/**
 * Replaces texts in a template by parameters: a text that is nothing else, and one within a longer text.
 *
 * A policy with such a text in a key (IAM's conditions name tags in keys) becomes JSON in a text: CloudFormation calls
 * functions in values alone, and accepts policies in this form.
 */
export function withParameters(value: Json, parameters: ReadonlyMap<string, Json>): Json {
  const texts = [...parameters.keys()];
  const partsOf = (text: string): readonly Json[] => {
    const found = texts.find((each) => text.includes(each));
    if (found === undefined) {
      return text === '' ? [] : [text];
    }
    const at = text.indexOf(found);
    return [...partsOf(text.slice(0, at)), parameters.get(found), ...partsOf(text.slice(at + found.length))];
  };
  const join = (parts: readonly Json[]): Json => {
    const [only] = parts;
    return parts.length === 1 ? only : { 'Fn::Join': ['', joinTexts(parts)] };
  };
  const isInKey = (policy: Json): boolean =>
    isObject(policy)
      ? Object.entries(policy).some(([key, each]) => texts.some((text) => key.includes(text)) || isInKey(each))
      : Array.isArray(policy) && policy.some(isInKey);
  const jsonParts = (json: Json): readonly Json[] => {
    if (Array.isArray(json)) {
      return ['[', ...json.flatMap((each, index) => [...(index === 0 ? [] : [',']), ...jsonParts(each)]), ']'];
    }
    if (!isObject(json)) {
      return partsOf(JSON.stringify(json));
    }
    if (!isPlainObject(json)) {
      return ['"', replace(json), '"'];
    }
    const members = Object.entries(json).flatMap(([key, each], index) => [
      ...(index === 0 ? [] : [',']),
      ...partsOf(`${JSON.stringify(key)}:`),
      ...jsonParts(each),
    ]);
    return ['{', ...members, '}'];
  };
  const replace = (json: Json): Json => {
    if (typeof json === 'string') {
      return json === '' ? json : join(partsOf(json));
    }
    if (Array.isArray(json)) {
      return json.map(replace);
    }
    return isObject(json)
      ? Object.fromEntries(
          Object.entries(json).map(([key, each]) => [
            key,
            key === 'PolicyDocument' && isInKey(each) ? join(jsonParts(each)) : replace(each),
          ]),
        )
      : json;
  };
  return replace(value);
}

/** Joins texts that are next to each other. */
function joinTexts(parts: readonly Json[]): readonly Json[] {
  const joined: Json[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof last === 'string' && typeof part === 'string') {
      joined[joined.length - 1] = last + part;
    } else {
      joined.push(part);
    }
  }
  return joined;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether this is an object, and not a call of one of CloudFormation's functions. */
function isPlainObject(value: Json): value is JsonObject {
  if (!isObject(value)) {
    return false;
  }
  const keys = Object.keys(value);
  return keys.length !== 1 || !(keys[0] === 'Ref' || keys[0]!.startsWith('Fn::'));
}

const mapValues = <From, To>(
  from: Readonly<Record<string, From>>,
  to: (value: From) => To,
): Readonly<Record<string, To>> => Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]));

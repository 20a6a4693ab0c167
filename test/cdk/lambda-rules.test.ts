import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { templateFor } from './stack-for.ts';

// Rules of Lambda itself: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html and invocation-async.html.

const VARIANTS = [
  {},
  { drains: 'schedule' },
  { webhook: 'none', options: { plannedPlacement: true } },
  { drains: 'schedule', webhook: 'httpApi', applyManifests: true, dashboard: false },
  { tickInterval: '5m' },
];

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** The logical ids that a value refers to. */
const idsIn = (value: unknown): readonly string[] => {
  if (value === null || typeof value !== 'object') return [];
  const { Ref: ref, 'Fn::GetAtt': attribute } = value as { readonly Ref?: string; readonly 'Fn::GetAtt'?: string[] };
  if (ref !== undefined) return [ref];
  return attribute === undefined ? Object.values(value).flatMap(idsIn) : [attribute[0]!];
};

const propertiesOf = (template: Template, type: string): readonly (readonly [string, Record<string, unknown>])[] =>
  Object.entries(template.findResources(type)).map(([id, { Properties }]) => [
    id,
    Properties as Record<string, unknown>,
  ]);

/** Versions and aliases stand for their functions. */
const functionsBehind = (template: Template, ids: readonly string[]): readonly string[] => {
  const versions = Object.fromEntries(
    ['AWS::Lambda::Version', 'AWS::Lambda::Alias'].flatMap((type) =>
      propertiesOf(template, type).map(([id, { FunctionName }]) => [id, idsIn(FunctionName)[0]!]),
    ),
  );
  return ids.map((id) => versions[id] ?? id);
};

/** Targets that each function may send to or invoke, and each queue invokes: Lambda follows a chain by SQS and Invoke. */
function callsIn(template: Template): ReadonlyMap<string, readonly string[]> {
  const roles = new Map(
    propertiesOf(template, 'AWS::Lambda::Function').map(([id, { Role }]) => [idsIn(Role)[0]!, id] as const),
  );
  const calls = new Map<string, string[]>();
  const add = (from: string, to: readonly string[]): void => {
    calls.set(from, [...(calls.get(from) ?? []), ...to]);
  };
  for (const [, { Roles, PolicyDocument }] of propertiesOf(template, 'AWS::IAM::Policy')) {
    const { Statement: statements } = PolicyDocument as { readonly Statement: readonly Statement[] };
    for (const { Action, Resource } of statements)
      if ([Action].flat().some((action) => action === 'sqs:SendMessage' || action.startsWith('lambda:Invoke')))
        for (const role of idsIn(Roles)) add(roles.get(role)!, functionsBehind(template, idsIn(Resource)));
  }
  for (const [, { EventSourceArn, FunctionName }] of propertiesOf(template, 'AWS::Lambda::EventSourceMapping'))
    if (template.findResources('AWS::SQS::Queue')[idsIn(EventSourceArn)[0]!] !== undefined)
      add(idsIn(EventSourceArn)[0]!, functionsBehind(template, idsIn(FunctionName)));
  return calls;
}

function reachesItself(calls: ReadonlyMap<string, readonly string[]>, start: string): boolean {
  const seen = new Set<string>();
  const next = [...(calls.get(start) ?? [])];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (id === start) return true;
    if (!seen.has(id)) next.push(...(calls.get(id) ?? []));
    seen.add(id);
  }
  return false;
}

describe.each(VARIANTS)('with %j', (settings) => {
  const template = templateFor(settings);
  const functions = propertiesOf(template, 'AWS::Lambda::Function');

  it('a function is allowed to invoke itself, over queues and functions, exactly where it does', () => {
    const calls = callsIn(template);
    const inLoops = functions.map(([id]) => id).filter((id) => reachesItself(calls, id));
    const allowed = functions.filter(([, { RecursiveLoop }]) => RecursiveLoop === 'Allow').map(([id]) => id);
    expect(inLoops.length).toBeGreaterThan(0);
    expect(allowed.toSorted()).toEqual(inLoops.toSorted());
  });

  it('says of each function that a rule invokes how often Lambda repeats a run, and how long it keeps an event', () => {
    const queues = template.findResources('AWS::SQS::Queue');
    const invoked = propertiesOf(template, 'AWS::Events::Rule').flatMap(([, { Targets }]) =>
      (Targets as readonly { readonly Arn: unknown }[]).flatMap(({ Arn }) => idsIn(Arn)),
    );
    const limits = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig').map(([, properties]) => ({
      of: idsIn(properties['FunctionName'])[0]!.replace(/[0-9A-F]{8}$/, ''),
      retries: properties['MaximumRetryAttempts'],
      seconds: properties['MaximumEventAgeInSeconds'],
    }));
    const expected = new Set(invoked.filter((id) => queues[id] === undefined));
    expect(limits.map(({ of }) => of).toSorted()).toEqual(
      [...expected].map((id) => id.replace(/[0-9A-F]{8}$/, '')).toSorted(),
    );
    expect(limits.toSorted((a, b) => (a.of < b.of ? -1 : 1))).toEqual([
      { of: 'Actuate', retries: 0, seconds: 60 },
      { of: 'ScaleDown', retries: 0, seconds: 60 },
      { of: 'Wake', retries: 2, seconds: 300 },
    ]);
  });
});

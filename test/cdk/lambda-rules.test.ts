import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { MOST_DELIVERIES } from '../../core/wakeups/redelivery.ts';
import type { FunctionName } from '../../runtime/functions.ts';
import { LAMBDA_RULES, STREAM, TIMEOUTS_MS, WAKE_UPS } from '../../runtime/lambda-rules.ts';
import { templateFor } from './stack-for.ts';

// Rules of Lambda itself: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html and invocation-async.html.

const VARIANTS = [
  {},
  { webhook: 'none', options: { plannedPlacement: true } },
  { webhook: 'httpApi', applyManifests: true, dashboard: false },
  { scanInterval: '5m' },
];

/** Logical ids of the functions, without their hashes. */
const NAMES: Readonly<Record<string, FunctionName>> = {
  Ingest: 'ingest',
  Wake: 'wake',
  ScaleUp: 'scale-up',
  ScaleDown: 'scale-down',
  Actuate: 'actuate',
  Drain: 'drain',
};

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

/** Functions and queues that a function or a queue invokes, over others too. */
function reachableFrom(calls: ReadonlyMap<string, readonly string[]>, start: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const next = [...(calls.get(start) ?? [])];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (!seen.has(id)) next.push(...(calls.get(id) ?? []));
    seen.add(id);
  }
  return seen;
}

describe.each(VARIANTS)('with %j', (settings) => {
  const template = templateFor(settings);
  const functions = propertiesOf(template, 'AWS::Lambda::Function');

  it('allows long chains of exactly the functions that invoke themselves, over queues and functions, and that these invoke', () => {
    const calls = callsIn(template);
    const ids = functions.map(([id]) => id);
    const loops = ids.map((id) => reachableFrom(calls, id)).filter((reached, i) => reached.has(ids[i]!));
    const inLoops = ids.filter((id) => loops.some((reached) => reached.has(id)));
    const allowed = functions.filter(([, { RecursiveLoop }]) => RecursiveLoop === 'Allow').map(([id]) => id);
    expect(inLoops.length).toBeGreaterThan(0);
    expect(allowed.toSorted()).toEqual(inLoops.toSorted());
  });

  it('says of each function that a rule invokes how often Lambda repeats a run, and how long it keeps an event', () => {
    const queues = template.findResources('AWS::SQS::Queue');
    const invoked = propertiesOf(template, 'AWS::Events::Rule').flatMap(([, { Targets }]) =>
      (Targets as readonly { readonly Arn: unknown }[]).flatMap(({ Arn }) => idsIn(Arn)),
    );
    const limited = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig').map(
      ([, { FunctionName }]) => idsIn(FunctionName)[0]!,
    );
    expect(limited.toSorted()).toEqual([...new Set(invoked.filter((id) => queues[id] === undefined))].toSorted());
  });

  it('has the settings of Lambda that simulations go by', () => {
    const named = (type: string): readonly (readonly [string, Record<string, unknown>])[] =>
      propertiesOf(template, type).map(([id, properties]) => [id.replace(/[0-9A-F]{8}$/, ''), properties]);
    const limits = Object.fromEntries(
      propertiesOf(template, 'AWS::Lambda::EventInvokeConfig').map(([, properties]) => [
        idsIn(properties['FunctionName'])[0]!,
        properties,
      ]),
    );
    const ours = functions.flatMap(([id, properties]) => {
      const name = NAMES[id.replace(/[0-9A-F]{8}$/, '')];
      return name === undefined ? [] : [{ id, name, ...properties } as const];
    });
    expect(
      ours.map(({ name, ...properties }) => ({
        name,
        timeoutMs: Number((properties as Record<string, unknown>)['Timeout']) * 1_000,
        mayRecur: (properties as Record<string, unknown>)['RecursiveLoop'] === 'Allow',
      })),
    ).toEqual(ours.map(({ name }) => ({ name, timeoutMs: TIMEOUTS_MS[name], mayRecur: LAMBDA_RULES[name].mayRecur })));
    const limited = ours.filter(({ id }) => limits[id] !== undefined);
    expect(
      limited.map(({ id, name }) => ({
        name,
        retries: limits[id]!['MaximumRetryAttempts'],
        seconds: limits[id]!['MaximumEventAgeInSeconds'],
      })),
    ).toEqual(
      limited.map(({ name }) => {
        const { waitsMs, maxAgeMs } = LAMBDA_RULES[name].attempts;
        return { name, retries: waitsMs.length, seconds: maxAgeMs / 1_000 };
      }),
    );
    const queues = Object.fromEntries(named('AWS::SQS::Queue'));
    expect(queues['WakeUps']).toMatchObject({
      VisibilityTimeout: WAKE_UPS.visibilityTimeoutMs / 1_000,
      MessageRetentionPeriod: WAKE_UPS.retentionMs / 1_000,
      RedrivePolicy: { maxReceiveCount: MOST_DELIVERIES },
    });
    const concurrencies = named('AWS::Lambda::EventSourceMapping').flatMap(([, { ScalingConfig }]) =>
      ScalingConfig === undefined ? [] : [ScalingConfig],
    );
    expect(concurrencies).toEqual([{ MaximumConcurrency: WAKE_UPS.maxConcurrency }]);
    const { waitsMs, maxAgeMs } = LAMBDA_RULES.drain.attempts;
    const ofDrains = {
      VisibilityTimeout: (waitsMs[0] ?? 0) / 1_000,
      MessageRetentionPeriod: maxAgeMs / 1_000,
      RedrivePolicy: { maxReceiveCount: waitsMs.length + 1 },
    };
    const drains = named('AWS::SQS::Queue').flatMap(([id, properties]) => (id === 'Drains' ? [properties] : []));
    expect(drains).toMatchObject([ofDrains]);
    const readings = named('AWS::Lambda::EventSourceMapping').flatMap(
      ([, { StartingPosition, BatchSize, MaximumRetryAttempts, MaximumRecordAgeInSeconds }]) =>
        StartingPosition === undefined
          ? []
          : [
              {
                batchSize: BatchSize,
                retryAttempts: MaximumRetryAttempts,
                maxRecordAgeMs: (MaximumRecordAgeInSeconds as number) * 1_000,
              },
            ],
    );
    expect(readings).toEqual(expect.arrayContaining([STREAM.outbox, STREAM.inbox]));
  });
});

import type { Gateway } from './gateway.ts';
import type { Iam } from './iam.ts';
import type { LambdaService } from './lambda-service.ts';
import { matches, type Pattern } from './pattern.ts';
import { propertiesOf } from './policies.ts';
import { countUse, type Records } from './records.ts';
import type { Resolve } from './resolve.ts';
import { resourcesOf, type Template } from './synthesize.ts';

/** EventBridge: the schedules and the rules of the template, which fire when a test says so. */
export interface Triggers {
  /** Logical ids of what has a time. */
  readonly schedules: readonly string[];
  /** Fires one of them. Throws when its target cannot be reached. */
  readonly fire: (schedule: string) => Promise<void>;
  /** Delivers an event to the rules that it matches. */
  readonly publish: (event: Readonly<Record<string, unknown>>) => Promise<void>;
}

export interface TriggerSettings {
  readonly account: string;
  readonly region: string;
  readonly template: Template;
  readonly resolve: Resolve;
  readonly iam: Iam;
  readonly gateway: Gateway;
  readonly lambda: LambdaService;
  readonly records: Records;
  readonly queueUrl: (arn: string) => string;
  /** Sends a message with the queue's own policy as the only right. */
  readonly send: (queueUrl: string, body: string, group: string | undefined) => Promise<void>;
}

export interface Target {
  readonly Id: string;
  readonly Arn: string;
  readonly RoleArn?: string;
  readonly Input?: string;
  readonly InputTransformer?: {
    readonly InputPathsMap: Readonly<Record<string, string>>;
    readonly InputTemplate: string;
  };
  readonly SqsParameters?: { readonly MessageGroupId: string };
}

export interface Rule {
  readonly State?: string;
  readonly ScheduleExpression?: string;
  readonly EventPattern?: Pattern;
  readonly Targets: readonly Target[];
}

interface Schedule {
  readonly State?: string;
  readonly ScheduleExpression: string;
  readonly Target: Target;
}

/** By their logical ids. */
export const rulesOf = (template: Template, resolve: Resolve): ReadonlyMap<string, Rule> =>
  new Map(
    resourcesOf(template, 'AWS::Events::Rule').map(([id, resource]) => [
      id,
      propertiesOf(resource, resolve) as unknown as Rule,
    ]),
  );

export function triggersOf(settings: TriggerSettings): Triggers {
  const { template, resolve, records } = settings;
  // As the parameters are by then.
  const schedules = new Map(
    resourcesOf(template, 'AWS::Scheduler::Schedule').map(([id, resource]) => [
      id,
      () => propertiesOf(resource, resolve) as unknown as Schedule,
    ]),
  );
  const rules = (): ReadonlyMap<string, Rule> => rulesOf(template, resolve);
  const timed = [...rules()].filter(([, { ScheduleExpression }]) => ScheduleExpression !== undefined).map(([id]) => id);

  const deliver = async (id: string, { Targets }: Rule, event: Readonly<Record<string, unknown>>): Promise<void> => {
    for (const target of Targets) {
      await byRule(settings, id, target, inputOf(target, event));
      countUse(records, `${id}.${target.Id}`);
    }
  };
  return {
    schedules: [...schedules.keys(), ...timed],
    async fire(id) {
      const schedule = schedules.get(id)?.();
      if (schedule === undefined) {
        const rule = rules().get(id)!;
        if (rule.State === 'DISABLED') throw new Error(`${id} is disabled`);
        records.occasions.push({ kind: 'time', expression: rule.ScheduleExpression! });
        await deliver(id, rule, {
          source: 'aws.events',
          'detail-type': 'Scheduled Event',
          time: new Date().toISOString(),
        });
        return;
      }
      if (schedule.State === 'DISABLED') throw new Error(`${id} is disabled`);
      await bySchedule(settings, schedule.Target);
      countUse(records, id);
    },
    async publish(event) {
      records.occasions.push({ kind: 'event', event });
      for (const [id, rule] of rules())
        if (rule.EventPattern !== undefined && rule.State !== 'DISABLED' && matches(rule.EventPattern, event))
          await deliver(id, rule, event);
    },
  };
}

/** EventBridge Scheduler takes the role of the schedule. */
async function bySchedule(settings: TriggerSettings, target: Target): Promise<void> {
  const { account, region, iam, gateway, queueUrl } = settings;
  const role = iam.roleByArn(target.RoleArn!);
  const context = {
    'aws:SourceAccount': account,
    'aws:SourceArn': `arn:aws:scheduler:${region}:${account}:schedule-group/default`,
  };
  if (!(await iam.mayAssume('scheduler.amazonaws.com', role, context)))
    throw new Error(`The scheduler may not take the role ${role.id}`);
  const input = (target.Input ?? '{}').replaceAll('<aws.scheduler.scheduled-time>', new Date().toISOString());
  if (target.Arn.startsWith('arn:aws:sqs:')) {
    const message = { QueueUrl: queueUrl(target.Arn), MessageBody: input, ...target.SqsParameters };
    await gateway.callAs(role.id, { service: 'sqs', target: 'AmazonSQS.SendMessage', input: message });
    return;
  }
  await gateway.callAs(role.id, {
    service: 'lambda',
    path: `/2015-03-31/functions/${encodeURIComponent(target.Arn)}/invocations`,
    headers: { 'x-amz-invocation-type': 'Event' },
    input: JSON.parse(input),
  });
}

/** The event itself, a text instead of it, or one that is made from its fields. */
export function inputOf(
  { Input, InputTransformer: transformer }: Target,
  event: Readonly<Record<string, unknown>>,
): string {
  if (transformer === undefined) return Input ?? JSON.stringify(event);
  const { InputPathsMap: paths, InputTemplate: template } = transformer;
  return template.replaceAll(/<([^>]+)>/g, (_, name: string) => JSON.stringify(event[paths[name]!.replace('$.', '')]));
}

/** EventBridge calls as itself: the policy of the target must allow it. */
async function byRule(settings: TriggerSettings, id: string, target: Target, input: string): Promise<void> {
  const { resolve, iam, lambda, queueUrl, send } = settings;
  const context = {
    'aws:SourceArn': String(resolve({ 'Fn::GetAtt': [id, 'Arn'] })),
    'aws:SourceAccount': settings.account,
  };
  const toQueue = target.Arn.startsWith('arn:aws:sqs:');
  const action = toQueue ? 'sqs:SendMessage' : 'lambda:InvokeFunction';
  if (!(await iam.judge('events.amazonaws.com', { action, resource: target.Arn, context })))
    throw new Error(`EventBridge may not ${action} for the rule ${id}`);
  if (toQueue) await send(queueUrl(target.Arn), input, target.SqsParameters?.MessageGroupId);
  else await lambda.invokeLater(target.Arn, JSON.parse(input));
}

import { TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import type { V1Pod } from '@kubernetes/client-node';
import type { E2eCluster } from '../cluster.ts';
import type { Answer } from '../servers/proxy.ts';
import type { Deployment } from './deployment.ts';

/** An instance that its group wants to end, and the hook that waits. */
export interface Hook {
  readonly instance: string;
  readonly group: string;
  readonly name: string;
  readonly token: string;
}

export interface HookRecord {
  /** `performance.now()` of each heartbeat. */
  readonly heartbeats: number[];
  /** The result that it was completed with, and the pods of the namespace that were still on the node. */
  readonly completions: { readonly result: unknown; readonly pods: readonly string[] }[];
}

const NAMESPACE = 'http://autoscaling.amazonaws.com/doc/2011-01-01/';

/**
 * Has the instance wait for a terminating lifecycle hook, until it is completed: moto stores hooks, and neither lets an instance
 * wait for one nor has the two calls. On the wire this answers as Auto Scaling does: the instance is `Terminating:Wait`, the hook
 * is known by its name and token until it is completed, and the instance ends then, with the target size.
 *
 * @param node that the instance has become; `null`: none
 */
export function holdForHook(
  { interfere }: Pick<Deployment, 'interfere'>,
  { aws, kube, name: namespace }: E2eCluster,
  hook: Hook,
  node: string | null,
): HookRecord {
  const record: HookRecord = { heartbeats: [], completions: [] };
  const waits = (input: Readonly<Record<string, unknown>>): boolean =>
    record.completions.length === 0 &&
    input['AutoScalingGroupName'] === hook.group &&
    input['InstanceId'] === hook.instance &&
    input['LifecycleHookName'] === hook.name &&
    input['LifecycleActionToken'] === hook.token;
  const gone = xml(
    400,
    `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>Sender</Type><Code>ValidationError</Code><Message>No active Lifecycle Action found with token ${hook.token}</Message></Error></ErrorResponse>`,
  );
  const done = (operation: string): Answer =>
    xml(200, `<${operation}Response xmlns="${NAMESPACE}"><${operation}Result/></${operation}Response>`);
  interfere(async (_role, { service, operation, input }, answer) => {
    if (service !== 'autoscaling') return answer();
    switch (operation) {
      case 'RecordLifecycleActionHeartbeat':
        if (!waits(input)) return gone;
        record.heartbeats.push(performance.now());
        return done(operation);
      case 'CompleteLifecycleAction': {
        if (!waits(input)) return gone;
        const pods = await kube.list<V1Pod>(`/api/v1/namespaces/${namespace}/pods`);
        const left = pods.filter(({ spec }) => node !== null && spec?.nodeName === node);
        record.completions.push({
          result: input['LifecycleActionResult'],
          pods: left.map(({ metadata }) => metadata?.name ?? ''),
        });
        await aws.autoScaling.send(
          new TerminateInstanceInAutoScalingGroupCommand({
            InstanceId: hook.instance,
            ShouldDecrementDesiredCapacity: true,
          }),
        );
        return done(operation);
      }
      case 'DescribeAutoScalingGroups':
      case 'DescribeAutoScalingInstances':
        return waiting(await answer(), hook.instance);
      default:
        return answer();
    }
  });
  return record;
}

/** The answer in which the instance waits: its description has no lists in it. */
function waiting({ status, body }: Answer, instance: string): Answer {
  const described = /<member>(?:(?!<\/?member>)[\s\S])*<\/member>/g;
  const text = body
    .toString('utf8')
    .replaceAll(described, (member) =>
      member.includes(`<InstanceId>${instance}</InstanceId>`)
        ? member.replace(/<LifecycleState>\w+</, '<LifecycleState>Terminating:Wait<')
        : member,
    );
  return xml(status, text);
}

const xml = (status: number, text: string): Answer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(text),
});

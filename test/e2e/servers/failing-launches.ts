import { randomUUID } from 'node:crypto';
import { startProxy, type Answer } from './proxy.ts';

/**
 * Stands in front of moto and makes groups fail as they do on AWS: a request for instances of a group whose launch
 * template is gone is granted, and the group's scaling activities say that none could be launched. moto takes
 * the size, breaks off with 500, and has no activities. Activities in progress come first, as on AWS: each group ends an
 * old instance whose lifecycle hook takes its time.
 */
export interface FailingLaunches {
  readonly endpoint: string;
  /** When the first failure was told, by `performance.now()`; `null` before. */
  toldAt(): number | null;
  stop(): Promise<void>;
}

interface Activity {
  readonly group: string;
  readonly id: string;
  readonly time: string;
}

/** @param broken groups without their launch template, and AWS' word for what is wrong. */
export async function startFailingLaunches(
  target: string,
  broken: Readonly<Record<string, string>>,
): Promise<FailingLaunches> {
  const activities: Activity[] = [];
  let toldAt: number | null = null;

  const proxy = await startProxy(target, async ({ action, parameters, forward }) => {
    const group = parameters.get('AutoScalingGroupName') ?? '';
    const message = broken[group];
    if (message !== undefined && action === 'SetDesiredCapacity') {
      const answer = await forward();
      if (answer.status !== 500) return answer;
      activities.unshift({ group, id: randomUUID(), time: new Date().toISOString() });
      return xml(action, '');
    }
    if (message !== undefined && action === 'DescribeScalingActivities') {
      const own = activities.filter((activity) => activity.group === group);
      if (own.length > 0) toldAt ??= performance.now();
      return xml(
        action,
        `<Activities>${inProgress(group)}${own.map((activity) => member(activity, message)).join('')}</Activities>`,
      );
    }
    return forward();
  });
  return { endpoint: proxy.endpoint, toldAt: () => toldAt, stop: () => proxy.stop() };
}

const member = ({ group, id, time }: Activity, message: string): string =>
  `<member><ActivityId>${id}</ActivityId><AutoScalingGroupName>${group}</AutoScalingGroupName>` +
  `<Description>Launching a new EC2 instance.  Status Reason: ${message}</Description>` +
  `<Cause>At ${time} an instance was started in response to a difference between desired and actual capacity.</Cause>` +
  `<StartTime>${time}</StartTime><EndTime>${time}</EndTime>` +
  `<StatusCode>Failed</StatusCode><StatusMessage>${message}</StatusMessage><Progress>100</Progress></member>`;

/** A termination that began ten minutes ago and waits for its lifecycle hook. */
const inProgress = (group: string): string =>
  `<member><ActivityId>terminating-${group}</ActivityId><AutoScalingGroupName>${group}</AutoScalingGroupName>` +
  `<Description>Terminating EC2 instance: i-0fe1dead</Description><Cause>A user request.</Cause>` +
  `<StartTime>${new Date(Date.now() - 600_000).toISOString()}</StartTime>` +
  `<StatusCode>MidLifecycleAction</StatusCode><Progress>60</Progress></member>`;

const xml = (action: string, result: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(
    `<${action}Response xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><${action}Result>${result}` +
      `</${action}Result><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${action}Response>`,
  ),
});

import { randomUUID } from 'node:crypto';
import { startProxy, type Answer } from './proxy.ts';

/**
 * Stands in front of moto and makes groups fail as they do on AWS: whoever asks for machines of a group whose launch
 * template is gone is granted them, and reads in the group's scaling activities that none could be launched. moto takes
 * the size, breaks off with 500, and knows no activities.
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
      return xml(action, `<Activities>${own.map((activity) => member(activity, message)).join('')}</Activities>`);
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

const xml = (action: string, result: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(
    `<${action}Response xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><${action}Result>${result}` +
      `</${action}Result><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${action}Response>`,
  ),
});

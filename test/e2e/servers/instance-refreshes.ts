import type { Answer } from './proxy.ts';

/** The operation that moto does not have. */
export const REFRESHES = 'DescribeInstanceRefreshes';

/** Auto Scaling's answer for a group that had no instance refresh. */
export const NO_REFRESHES: Answer = {
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(
    `<${REFRESHES}Response xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><${REFRESHES}Result>` +
      `<InstanceRefreshes/></${REFRESHES}Result></${REFRESHES}Response>`,
  ),
};

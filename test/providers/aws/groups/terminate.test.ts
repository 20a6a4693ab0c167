import { describe, expect, test } from 'vitest';
import { instanceId } from '../../../../core/model/values/names.ts';
import { conventionOf } from '../../../../core/model/discovery.ts';
import { createGroupReads } from '../../../../providers/aws/groups/discovery.ts';
import { terminateInstance } from '../../../../providers/aws/groups/terminate.ts';
import {
  type Answer,
  autoScalingError,
  autoScalingResult,
  groupXml,
  startWireServer,
  type WireServer,
} from '../wire-server.ts';

/** AWS with the group `web` of cluster `c1`, whose one instance `i-1` is in this state. */
async function aws(LifecycleState: string, answer: Answer = autoScalingResult('x'), cluster = 'c1') {
  const server = await startWireServer(({ action }) =>
    action === 'DescribeAutoScalingGroups'
      ? autoScalingResult(action, {
          AutoScalingGroups: [
            groupXml(cluster, 'web', { DesiredCapacity: 1, Instances: [{ InstanceId: 'i-1', LifecycleState }] }),
          ],
        })
      : answer,
  );
  return server;
}

const end = ({ clients }: WireServer, id = 'i-1', decrement = true) =>
  terminateInstance(
    {
      autoScaling: clients.autoScaling,
      readGroup: createGroupReads(clients.autoScaling, conventionOf('c1')),
      inTurn: (call) => call(),
    },
    { group: 'web', id: instanceId(id), decrement },
  );

describe('an instance', () => {
  test.each([true, false])('is ended, the desired capacity lowered with it: %s', async (decrement) => {
    const server = await aws('InService');
    expect(await end(server, 'i-1', decrement)).toEqual({ kind: 'terminated' });
    expect(Object.fromEntries(server.calls.at(-1)!.parameters)).toMatchObject({
      Action: 'TerminateInstanceInAutoScalingGroup',
      InstanceId: 'i-1',
      ShouldDecrementDesiredCapacity: String(decrement),
    });
  });

  test.each([
    { name: 'is on its way out', state: 'Terminating:Wait', id: 'i-1', cluster: 'c1' },
    { name: 'has ended', state: 'Terminated', id: 'i-1', cluster: 'c1' },
    { name: 'is no member', state: 'InService', id: 'i-9', cluster: 'c1' },
    { name: 'was taken out by hand', state: 'Standby', id: 'i-1', cluster: 'c1' },
    { name: 'is another cluster’s', state: 'InService', id: 'i-1', cluster: 'c2' },
  ])('that $name is not ended', async ({ state, id, cluster }) => {
    const server = await aws(state, undefined, cluster);
    expect(await end(server, id)).toEqual({ kind: 'gone' });
    expect(server.calls.map(({ action }) => action)).toEqual(['DescribeAutoScalingGroups']);
  });

  test.each([
    {
      name: 'another client has ended',
      answer: autoScalingError(400, 'ValidationError', 'Instance Id not found - No managed instance found for i-1'),
      expected: { kind: 'gone' },
    },
    {
      name: 'the minimum keeps',
      answer: autoScalingError(
        400,
        'ValidationError',
        "Currently, desiredSize equals minSize (1). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.",
      ),
      expected: { kind: 'failed', class: 'Configuration' },
    },
    {
      name: 'we may not end',
      answer: autoScalingError(403, 'AccessDenied', 'not authorized'),
      expected: { kind: 'failed', class: 'Authorization' },
    },
    {
      name: 'AWS is too busy for',
      answer: autoScalingError(400, 'Throttling', 'Rate exceeded'),
      expected: { kind: 'failed', class: 'Throttled' },
    },
  ])('that $name says so', async ({ answer, expected }) => {
    expect(await end(await aws('InService', answer))).toMatchObject(expected);
  });
});

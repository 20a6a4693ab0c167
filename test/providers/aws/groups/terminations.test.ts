import { describe, expect, it, test } from 'vitest';
import { conventionOf } from '../../../../core/model/discovery.ts';
import { groupName, instanceId } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { createTerminations } from '../../../../providers/aws/groups/terminations.ts';
import {
  type Answer,
  autoScalingError,
  autoScalingResult,
  groupXml,
  instanceXml,
  startWireServer,
} from '../wire-server.ts';

const idOf = (n: number): string => `i-${n}`;

/** AWS with these groups of clusters, and instances in groups. */
async function aws(
  groups: Readonly<Record<string, string>>,
  instances: Readonly<Record<string, string>>,
  states: Readonly<Record<string, string>> = {},
  extra: Readonly<Record<string, Parameters<typeof groupXml>[2]>> = {},
) {
  let time = 0;
  const server = await startWireServer(({ action, parameters }) => {
    const asked = [...parameters].flatMap(([key, value]) => (/\.member\.\d+$/.test(key) ? [value] : []));
    return action === 'DescribeAutoScalingInstances'
      ? autoScalingResult(action, {
          AutoScalingInstances: asked.flatMap((id) =>
            instances[id] === undefined
              ? []
              : [
                  instanceXml({
                    InstanceId: id,
                    AutoScalingGroupName: instances[id],
                    LifecycleState: states[id] ?? 'InService',
                  }),
                ],
          ),
        })
      : autoScalingResult(action, {
          AutoScalingGroups: asked.flatMap((name) =>
            groups[name] === undefined ? [] : [groupXml(groups[name], name, extra[name])],
          ),
        });
  });
  const terminations = createTerminations(server.clients.autoScaling, 'c1', conventionOf('c1'), () => epochMs(time));
  return {
    ...server,
    terminations,
    wait: (ms: number) => {
      time += ms;
    },
    actions: () => server.calls.map(({ action }) => action.replace('DescribeAutoScaling', '')),
  };
}

describe('the groups of instances', () => {
  it('are those of the cluster: an instance of another cluster’s group, or of none, is left out', async () => {
    const { terminations, actions } = await aws(
      { web: 'c1', other: 'c2' },
      { 'i-1': 'web', 'i-2': 'other', 'i-4': 'deleted' },
    );
    const found = await terminations.groupsOf(['i-1', 'i-2', 'i-3', 'i-4'].map(instanceId));
    expect(Object.fromEntries(found)).toEqual({ 'i-1': 'web' });
    expect(actions()).toEqual(['Instances', 'Groups']);
  });

  it('are those of the cluster also while a group lacks the tags of discovery, by any tag of the cluster', async () => {
    const tagged = (...Tags: readonly { readonly Key: string; readonly Value: string }[]) => ({ Tags });
    const extra = {
      disabled: tagged({ Key: 'k8s.io/cluster-autoscaler/c1', Value: 'owned' }),
      owned: tagged({ Key: 'kubernetes.io/cluster/c1', Value: 'owned' }),
      managed: tagged({ Key: 'eks:cluster-name', Value: 'c1' }),
      other: tagged({ Key: 'eks:cluster-name', Value: 'c2' }, { Key: 'kubernetes.io/cluster/c2', Value: 'owned' }),
      bare: tagged(),
    };
    const names = Object.keys(extra);
    const { terminations } = await aws(
      Object.fromEntries(names.map((name) => [name, 'c1'])),
      Object.fromEntries(names.map((name, n) => [idOf(n), name])),
      {},
      extra,
    );
    const found = await terminations.groupsOf(names.map((_, n) => instanceId(idOf(n))));
    expect([...found.values()]).toEqual(['disabled', 'owned', 'managed']);
  });

  it('are not those of a warm pool, whose instances are stopped to be started later', async () => {
    const states = {
      'i-1': 'Warmed:Stopped',
      'i-2': 'Warmed:Pending',
      'i-3': 'Warmed:Pending:Proceed',
      'i-4': 'Warmed:Pending:Wait',
      'i-5': 'Terminating:Wait',
      'i-6': 'Pending',
      'i-7': 'Warmed:Terminating:Wait',
      'i-8': 'Warmed:Terminating',
    };
    const { terminations } = await aws(
      { web: 'c1' },
      Object.fromEntries(Object.keys(states).map((id) => [id, 'web'])),
      states,
    );
    const found = await terminations.groupsOf(Object.keys(states).map(instanceId));
    expect([...found.keys()]).toEqual(['i-4', 'i-5', 'i-6', 'i-7']);
  });

  it('of 1,000 instances take 20 calls, and one about the groups, without their instances', async () => {
    const groups = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`g-${n}`, 'c1']));
    const ids = Array.from({ length: 1_000 }, (_, n) => idOf(n));
    const { terminations, actions, calls } = await aws(
      groups,
      Object.fromEntries(ids.map((id, n) => [id, `g-${n % 60}`])),
    );
    expect((await terminations.groupsOf(ids.map(instanceId))).size).toBe(1_000);
    expect(actions()).toEqual([...Array.from({ length: 20 }, () => 'Instances'), 'Groups']);
    expect(calls.at(-1)!.parameters.get('IncludeInstances')).toBe('false');
  });

  it('are asked about once in five minutes: then one call answers', async () => {
    const { terminations, actions, wait } = await aws({ web: 'c1' }, { 'i-1': 'web', 'i-2': 'web' });
    await terminations.groupsOf([instanceId('i-1')]);
    await terminations.groupsOf([instanceId('i-2')]);
    expect(actions()).toEqual(['Instances', 'Groups', 'Instances']);
    wait(300_001);
    await terminations.groupsOf([instanceId('i-2')]);
    expect(actions().slice(3)).toEqual(['Instances', 'Groups']);
  });

  it('are not asked about where no instance is in a group', async () => {
    const { terminations, actions } = await aws({}, {});
    expect((await terminations.groupsOf([instanceId('i-1')])).size).toBe(0);
    expect(actions()).toEqual(['Instances']);
  });

  test.each(['DescribeAutoScalingInstances', 'DescribeAutoScalingGroups'])(
    'are unknown, not none, where %s fails',
    async (failing) => {
      const server = await startWireServer(({ action }) =>
        action === failing
          ? autoScalingError(400, 'Throttling', 'Rate exceeded')
          : autoScalingResult(action, {
              AutoScalingInstances: [instanceXml({ InstanceId: 'i-1', AutoScalingGroupName: 'web' })],
            }),
      );
      const terminations = createTerminations(server.clients.autoScaling, 'c1', conventionOf('c1'), () => epochMs(0));
      await expect(terminations.groupsOf([instanceId('i-1')])).rejects.toThrow('Throttling');
    },
  );
});

const TOKEN = '87654321-4321-4321-4321-210987654321';
const HOOK = { name: 'outrigger', token: TOKEN, heartbeatUntil: null };

describe.each([
  ['completeHook' as const, 'CompleteLifecycleAction', { LifecycleActionResult: 'CONTINUE' }],
  ['heartbeat' as const, 'RecordLifecycleActionHeartbeat', {}],
])('%j', (call, action, own) => {
  const done = async (answer: Answer) => {
    const server = await startWireServer(() => answer);
    const terminations = createTerminations(server.clients.autoScaling, 'c1', conventionOf('c1'), () => epochMs(0));
    return { server, outcome: await terminations[call](groupName('web'), instanceId('i-1'), HOOK) };
  };

  it('names the group, the instance, the hook and its token', async () => {
    const { server, outcome } = await done(autoScalingResult(action));
    expect(outcome).toEqual({ kind: 'done' });
    const { Version: _, ...parameters } = Object.fromEntries(server.calls[0]!.parameters);
    expect(parameters).toEqual({
      Action: action,
      AutoScalingGroupName: 'web',
      InstanceId: 'i-1',
      LifecycleHookName: 'outrigger',
      LifecycleActionToken: TOKEN,
      ...own,
    });
  });

  test.each([
    [
      'the instance waits no more',
      autoScalingError(400, 'ValidationError', `No active Lifecycle Action found with token ${TOKEN}`),
      { kind: 'gone' },
    ],
    [
      'the hook was deleted',
      autoScalingError(400, 'ValidationError', 'Lifecycle hook with name outrigger not found'),
      { kind: 'gone' },
    ],
    [
      'the group was deleted',
      autoScalingError(400, 'ValidationError', 'AutoScalingGroup name not found - web'),
      { kind: 'gone' },
    ],
    [
      'the request is wrong',
      autoScalingError(400, 'ValidationError', '1 validation error detected: Value at LifecycleActionToken'),
      { kind: 'failed', code: 'ValidationError' },
    ],
    ['we may not', autoScalingError(403, 'AccessDenied', 'not authorized'), { kind: 'failed', class: 'Authorization' }],
    ['AWS is too busy', autoScalingError(400, 'Throttling', 'Rate exceeded'), { kind: 'failed', class: 'Throttled' }],
  ])('says so where %s', async (_, answer, expected) => {
    expect((await done(answer)).outcome).toMatchObject(expected);
  });
});

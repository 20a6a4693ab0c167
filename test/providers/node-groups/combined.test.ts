import { beforeEach, describe, expect, test, vi } from 'vitest';
import { withActions } from '../../../core/model/cloud-action.ts';
import type { CallFailed } from '../../../core/model/answers.ts';
import { type GroupName, groupName, instanceId } from '../../../core/model/values/names.ts';
import { heldInstances, type NodeGroup } from '../../../core/model/node-group.ts';
import type { GroupSummary } from '../../../core/model/cluster-summary.ts';
import type { NodeGroups } from '../../../core/ports/node-groups.ts';
import { combinedNodeGroups } from '../../../providers/node-groups/combined.ts';
import { group, NOW, running } from '../../scenario-builders.ts';

/** The groups of one provider, as values that the calls change. */
class Cloud implements NodeGroups {
  groups: readonly NodeGroup[] = [];
  down: Error | null = null;
  readonly calls: string[] = [];

  readonly #find = (name: GroupName) => this.groups.find((one) => one.name === name) ?? null;
  readonly #call = (text: string): void => {
    this.calls.push(text);
    if (this.down !== null) {
      throw this.down;
    }
  };

  list = async () => {
    this.#call('list');
    return await Promise.resolve(this.groups);
  };
  summarize = async (): Promise<readonly GroupSummary[]> => {
    this.#call('summarize');
    return await Promise.resolve(
      this.groups.map(({ name, minSize, maxSize, targetSize, options, instances }) => ({
        name,
        minSize,
        maxSize,
        targetSize,
        options,
        instances,
      })),
    );
  };
  readSize: NodeGroups['readSize'] = async (name) => {
    this.#call(`readSize ${name}`);
    const found = this.#find(name);
    return await Promise.resolve(
      found === null
        ? null
        : { min: found.minSize, max: found.maxSize, target: found.targetSize, held: heldInstances(found).length },
    );
  };
  readInstance: NodeGroups['readInstance'] = async (name, instance) => {
    this.#call(`readInstance ${name} ${instance}`);
    return await Promise.resolve({ state: 'in group', size: null });
  };
  withLaunchFailures: NodeGroups['withLaunchFailures'] = async (groups) => {
    this.#call(`withLaunchFailures ${groups.map(({ name }) => name).join(' ')}`);
    return await Promise.resolve(groups.map((one) => ({ ...one, templateProblem: 'failed' })));
  };
  withCloudActions: NodeGroups['withCloudActions'] = async (groups) => {
    this.#call(`withCloudActions ${groups.map(({ name }) => name).join(' ')}`);
    return await Promise.resolve(groups.map((one) => withActions(one, ['Updating'])));
  };
  setSize: NodeGroups['setSize'] = async (name, size) => {
    this.#call(`setSize ${name} ${size}`);
    return await Promise.resolve({ kind: 'set' });
  };
  terminate: NodeGroups['terminate'] = async (name, instance, decrement) => {
    this.#call(`terminate ${name} ${instance} ${decrement}`);
    return await Promise.resolve({ kind: 'terminated' });
  };
}

const FAILED: CallFailed = { kind: 'failed', class: 'Timeout', code: 'Withdrawn', message: 'the mark remains' };
const DEPLOYMENT = groupName('MachineDeployment/default/web');
const POOL = groupName('MachinePool/default/pool');

let machines: Cloud;
let scaling: Cloud;
let both: NodeGroups;
beforeEach(() => {
  machines = new Cloud();
  scaling = new Cloud();
  both = combinedNodeGroups('aws', [
    { provider: 'clusterapi', groups: machines, owns: (name) => name.startsWith('Machine') },
    { provider: 'aws', groups: scaling, owns: (name) => !name.startsWith('Machine') },
  ]);
});

describe('node groups of two providers', () => {
  test('are listed together, and those of another provider than the scenario say which', async () => {
    machines.groups = [group(DEPLOYMENT)];
    scaling.groups = [group('asg-a'), group('asg-b')];
    const listed = await both.list([]);
    expect(listed.map(({ name, provider }) => [name, provider])).toEqual([
      [DEPLOYMENT, 'clusterapi'],
      ['asg-a', undefined],
      ['asg-b', undefined],
    ]);
    expect((await both.summarize()).map(({ name }) => name)).toEqual([DEPLOYMENT, 'asg-a', 'asg-b']);
  });

  test.each(['list', 'summarize'] as const)('are not known at all where one provider fails in %s', async (call) => {
    scaling.groups = [group('asg-a')];
    machines.down = new Error('the management cluster does not answer');
    await expect(call === 'list' ? both.list([]) : both.summarize()).rejects.toThrow('does not answer');
    machines.down = null;
    scaling.down = new Error('throttled');
    await expect(call === 'list' ? both.list([]) : both.summarize()).rejects.toThrow('throttled');
  });

  test('are read and changed by the provider of their name, without a list before', async () => {
    machines.groups = [group(DEPLOYMENT, { min: 1, max: 3, target: 2 })];
    const instance = instanceId('default/web-1');
    expect(await both.readSize(DEPLOYMENT)).toEqual({ min: 1, max: 3, target: 2, held: 0 });
    await both.readInstance(DEPLOYMENT, instance);
    await both.setSize(DEPLOYMENT, 3);
    await both.terminate(DEPLOYMENT, instance, true);
    expect(machines.calls).toEqual([
      `readSize ${DEPLOYMENT}`,
      `readInstance ${DEPLOYMENT} default/web-1`,
      `setSize ${DEPLOYMENT} 3`,
      `terminate ${DEPLOYMENT} default/web-1 true`,
    ]);
    expect(scaling.calls).toEqual([]);
    // A provider whose cloud ends an instance in one call has nothing to withdraw.
    expect(await both.withdrawTermination!(DEPLOYMENT, instance)).toEqual({ kind: 'withdrawn' });
    const withdrawTermination = vi.fn<NonNullable<NodeGroups['withdrawTermination']>>(async () => FAILED);
    Object.assign(machines, { withdrawTermination });
    expect(await both.withdrawTermination!(DEPLOYMENT, instance)).toBe(FAILED);
    expect(withdrawTermination.mock.calls).toEqual([[DEPLOYMENT, instance, undefined]]);
    // The provider of the name decides that there is no such group.
    expect(await both.readSize(groupName('asg-gone'))).toBeNull();
    expect(scaling.calls).toEqual(['readSize asg-gone']);
  });

  test('are asked about failures and updates by their own provider, and come back in their order', async () => {
    const groups = [group('asg-a'), group(DEPLOYMENT), group('asg-b')];
    const failed = await both.withLaunchFailures(groups, new Map([[DEPLOYMENT, NOW]]));
    expect(failed.map(({ name, templateProblem }) => [name, templateProblem])).toEqual(
      groups.map(({ name }) => [name, 'failed']),
    );
    await both.withCloudActions([groups[1]!], new Set([DEPLOYMENT]));
    expect(machines.calls).toEqual([`withLaunchFailures ${DEPLOYMENT}`, `withCloudActions ${DEPLOYMENT}`]);
    // A provider without groups among them is not asked.
    expect(scaling.calls).toEqual(['withLaunchFailures asg-a asg-b']);
  });

  test.each([
    { what: 'a node', pool: group(POOL, { nodes: ['n-1'], instances: [running('default/pool-1', 'n-1')] }) },
    {
      what: 'an instance, by its provider ID',
      pool: group(POOL, { target: 1, instances: [running('aws:///us-east-1a/i-1', null)] }),
    },
  ])('of which two have $what: the earlier provider has it, and the other group is out of use', async ({ pool }) => {
    machines.groups = [pool];
    scaling.groups = [
      group('of-pool', { nodes: ['n-1', 'n-2'], instances: [running('i-1', 'n-1'), running('i-2', 'n-2')] }),
      group('other', { nodes: ['n-3'] }),
    ];
    const [first, shared, other] = await both.list([]);
    expect(first).toEqual({ ...pool, provider: 'clusterapi' });
    expect(shared).toMatchObject({
      nodes: [],
      instances: [],
      targetSize: 0,
      invalid: `Its instances belong to ${POOL}, which is scaled instead`,
    });
    expect(other).toEqual(scaling.groups[1]);
    const summaries = await both.summarize();
    expect(summaries.find(({ name }) => name === 'of-pool')).toMatchObject({ targetSize: 0, instances: [] });
    machines.groups = [];
    expect((await both.list([])).map(({ invalid }) => invalid)).toEqual([null, null]);
    expect((await both.summarize()).map(({ targetSize }) => targetSize)).toEqual([2, 1]);
  });

  test('never go by the name of one of another provider', async () => {
    scaling.groups = [group('MachineSet/default/asg')];
    const [listed] = await both.list([]);
    expect(listed!.invalid).toBe('Its name is that of a node group of the provider clusterapi: rename it');
  });
});

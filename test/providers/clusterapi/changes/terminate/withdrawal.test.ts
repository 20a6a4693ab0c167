import { describe, expect, test } from 'vitest';
import { CLAIM_KEY } from '../../../../../providers/clusterapi/changes/marks.ts';
import { crashAt, requestsOf } from '../crashes.ts';
import { apiError, Crash, managementStandIn, STAND_INS } from '../group-stand-in.ts';

const MARK = 'cluster.x-k8s.io/delete-machine';
const OWN_MARK = { [MARK]: 'outrigger 2025-12-31T23:59:00.000Z' };
const CLAIM = { [CLAIM_KEY]: 'at=2025-12-31T23:59:00.000Z by=other from=3' };

describe('what an attempt to terminate a Machine has left behind', () => {
  test.each(STAND_INS)('is taken back, or its end is finished, wherever it broke off: %s', async (_, options) => {
    const ends = new Set<string>();
    for (const at of await requestsOf(options)) {
      for (const pause of [0, 1_000, 10 * 60_000]) {
        const group = managementStandIn(options);
        group.onRequest(crashAt(at));
        await expect(group.terminate('m1')).rejects.toThrow(Crash);
        group.onRequest(() => undefined);
        await group.wait(pause);
        expect(await group.withdraw('m1')).toEqual({ kind: 'withdrawn' });
        await group.wait(20_000);
        const found = { at, pause, live: group.live(), size: group.state.resource.replicas, noted: group.noted() };
        const went = group.state.deleted.length > 0;
        expect(found).toEqual({
          at,
          pause,
          live: went ? ['m0', 'm2'] : ['m0', 'm1', 'm2'],
          size: went ? 2 : 3,
          noted: [],
        });
        ends.add(went ? 'goes' : 'stays');
      }
    }
    expect([...ends].toSorted()).toEqual(['goes', 'stays']);
  });

  test('is the former size, too, where no controller has seen the lower one yet', async () => {
    const group = managementStandIn({ replicas: 2, machines: ['m0', 'm1', 'm2'] });
    group.runControllers(null);
    group.annotate('m1', { ...CLAIM, ...OWN_MARK });
    expect(await group.withdraw('m1')).toMatchObject({ kind: 'failed', class: 'Timeout', code: 'Withdrawn' });
    expect(group.state.resource.replicas).toBe(3);
    group.runControllers(100);
    expect(await group.withdraw('m1')).toEqual({ kind: 'withdrawn' });
    expect(group.noted()).toEqual([]);
    expect(group.live()).toEqual(['m0', 'm1', 'm2']);
  });

  test('is the former size, too, where no controller has a reason to delete a Machine for the lower one', async () => {
    const group = managementStandIn({ replicas: 3, machines: ['m0', 'm1', 'm2'] });
    group.createMachines(false);
    group.annotate('m1', { [CLAIM_KEY]: 'at=2025-12-31T23:59:00.000Z by=other from=4', ...OWN_MARK });
    expect(await group.withdraw('m1')).toEqual({ kind: 'withdrawn' });
    expect(group.state.resource.replicas).toBe(4);
    expect(group.noted()).toEqual([]);
    expect(group.live()).toEqual(['m0', 'm1', 'm2']);
  });

  test('is a mark whose claim is lost', async () => {
    const group = managementStandIn();
    group.annotate('m1', OWN_MARK);
    expect(await group.withdraw('m1')).toEqual({ kind: 'withdrawn' });
    expect(group.noted()).toEqual([]);
  });

  test('is no mark of another client, and none on another Machine', async () => {
    const group = managementStandIn();
    group.annotate('m1', { [MARK]: 'true', ...CLAIM });
    group.annotate('m2', { ...OWN_MARK, ...CLAIM });
    expect(await group.withdraw('m1')).toEqual({ kind: 'withdrawn' });
    expect(group.state.machines.map(({ machine: { annotations } }) => annotations)).toEqual([
      {},
      { [MARK]: 'true' },
      { ...OWN_MARK, ...CLAIM },
    ]);
  });

  test('is nothing, in one request, on a Machine without claim and mark, or where there is none', async () => {
    const group = managementStandIn();
    expect(await group.withdraw('m1')).toEqual({ kind: 'withdrawn' });
    expect(await group.withdraw('m9')).toEqual({ kind: 'withdrawn' });
    expect(group.requests()).toBe(2);
    expect(group.live()).toEqual(['m0', 'm1', 'm2']);
  });

  test('stays for the moment where the management cluster does not answer', async () => {
    const group = managementStandIn();
    group.annotate('m1', { ...CLAIM, ...OWN_MARK });
    group.onRequest(() => {
      throw apiError(503, 'ServiceUnavailable');
    });
    expect(await group.withdraw('m1')).toMatchObject({ kind: 'failed', class: 'Other' });
    group.onRequest(() => undefined);
    expect(group.noted()).toEqual(['m1']);
    expect(await group.withdraw('m1')).toEqual({ kind: 'withdrawn' });
    expect(group.noted()).toEqual([]);
  });
});

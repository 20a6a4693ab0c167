import { describe, expect, test } from 'vitest';
import { createLiveRecorder, phasesFrom } from '../../../cli/html/live-recorder.ts';
import { evaluate } from '../../../core/evaluate.ts';
import { TO_BE_DELETED_TAINT } from '../../../core/model/cluster/node.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { instanceId, nodeName } from '../../../core/model/values/names.ts';
import { epochMs, seconds } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, scenario, times } from '../../scenario-builders.ts';

const MINUTE = 60_000;
const BIG = { cpu: 4, memory: '16Gi' };

/** The cluster at a minute from the start: `n1` is in use, `n2` is not. */
const at = (minute: number, given: Partial<Parameters<typeof scenario>[0]> = {}): Scenario => ({
  ...scenario({
    groups: [group('web', { nodes: ['n1', 'n2'] })],
    nodes: [node('n1', BIG), node('n2', BIG)],
    pods: [pod('runs', { requests: { cpu: '3' }, node: 'n1' })],
    ...given,
  }),
  now: epochMs(NOW + minute * MINUTE),
});

function recorded(...scenarios: readonly Scenario[]) {
  const recorder = createLiveRecorder(NOW);
  for (const one of scenarios) {
    recorder.onDecision(one, evaluate(one));
  }
  const all = recorder.recorded();
  const minutes = (name: string) =>
    phasesFrom(all.nodes.find((one) => one.name === name)?.phases ?? [], all.from).map(
      ({ state, from, to }) => `${state} ${from / 60}–${to / 60}`,
    );
  return { ...all, minutes, note: (name: string) => all.nodes.find((one) => one.name === name)?.note };
}

describe('what is recorded of a process', () => {
  test('has each node from when it was seen, with its states', () => {
    const leaving = node('n2', BIG, { taints: [{ key: TO_BE_DELETED_TAINT, value: '1', effect: 'NoSchedule' }] });
    const { minutes, note } = recorded(
      at(0),
      at(2),
      at(4, { nodes: [node('n1', BIG), leaving] }),
      at(5, { groups: [group('web', { nodes: ['n1'] })], nodes: [node('n1', BIG)] }),
      at(9, { groups: [group('web', { nodes: ['n1'] })], nodes: [node('n1', BIG)] }),
    );
    expect(minutes('n1')).toEqual(['used 0–9']);
    expect(minutes('n2')).toEqual(['unneeded 0–4', 'leaving 4–5']);
    expect(note('n2')).toBe('gone');
    expect(note('n1')).toContain('is the threshold');
  });

  test('has how a node was removed, whether or not an evaluation sees it before it has its taint', () => {
    const options = { scaleDownUnneededTime: seconds(30), scaleDownDelayAfterAdd: seconds(0) };
    const [one, leaving] = [
      node('n1', BIG),
      node('n2', BIG, { taints: [{ key: TO_BE_DELETED_TAINT, value: '1', effect: 'NoSchedule' }] }),
    ];
    const recorder = createLiveRecorder(NOW);
    let state = at(0).state;
    const decided = (given: Scenario): void => {
      const one = { ...given, state };
      const decision = evaluate(one);
      recorder.onDecision(one, decision);
      ({ state } = decision);
    };
    const noted = () => recorder.recorded().nodes.find(({ name }) => name === 'n2')?.note;
    decided(at(0, { options }));
    decided(at(1, { options }));
    expect(noted()).toBe('removed empty');
    // An evaluation ends late that began before this one.
    const early = at(0.4, { options });
    recorder.onDecision(early, evaluate(early));
    expect(noted()).toBe('removed empty');
    // The decision is made, and its drain has not begun.
    decided(at(1.1, { options }));
    expect(noted()).toBe('removed empty');
    decided(at(1.2, { options, nodes: [one, leaving] }));
    decided(at(2, { options, groups: [group('web', { nodes: ['n1'] })], nodes: [one] }));
    expect(noted()).toBe('removed empty');
  });

  test('has an instance that boots, and goes on with it as its node', () => {
    const booting = { id: instanceId('i-3'), node: null, zone: null, state: 'Creating', error: null } as const;
    const web = group('web', { nodes: ['n1', 'n2'] });
    const three = group('web', { nodes: ['n1', 'n2', 'n3'] });
    const { minutes, nodes } = recorded(
      at(0, { groups: [{ ...web, instances: [...web.instances, booting] }] }),
      at(2, {
        groups: [{ ...web, instances: [...web.instances, { ...booting, node: nodeName('n3'), state: 'Running' }] }],
        nodes: [node('n1', BIG), node('n2', BIG), node('n3', BIG)],
        pods: [pod('new', { requests: { cpu: '3' }, node: 'n3' })],
      }),
      at(3, { groups: [three], nodes: [node('n1', BIG), node('n2', BIG), node('n3', BIG)] }),
    );
    expect(nodes.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3']);
    expect(minutes('n3').slice(0, 2)).toEqual(['booting 0–2', 'used 2–3']);
  });

  test('has the pods that waited, and only when their number changed', () => {
    const waits = times(3, (i) => pod(`waits-${i}`, { requests: { cpu: '64' } }));
    const { waiting } = recorded(at(0), at(1, { pods: waits }), at(2, { pods: waits }), at(3));
    expect(waiting).toEqual([
      [NOW, 0],
      [NOW + MINUTE, 3],
      [NOW + 3 * MINUTE, 0],
    ]);
  });

  test('has no cost where a price is not known, and the cost of the instances where all are', () => {
    expect(recorded(at(0)).cost).toEqual([]);
    const priced = { groups: [{ ...group('web', { nodes: ['n1', 'n2'] }), price: 0.2 }] };
    expect(recorded(at(0, priced)).cost).toEqual([[NOW, 0.4]]);
  });

  test('has what the pods need at least, of those that run and of those that wait, where all prices are known', () => {
    const web = { ...group('web', { nodes: ['n1', 'n2'] }), price: 0.2 };
    const quarter = pod('waits', { requests: { cpu: '1' } });
    const runs = pod('runs', { requests: { cpu: '3' }, node: 'n1' });
    expect(recorded(at(0)).needs).toEqual([]);
    expect(
      recorded(
        at(0, { groups: [web] }),
        at(1, { groups: [web], pods: [runs, quarter] }),
        at(2, { groups: [web], pods: [runs, { ...quarter, deletedAt: NOW }] }),
        at(3, { groups: [web], pods: [runs, pod('large', { requests: { cpu: '5' } })] }),
        at(4, { groups: [web], pods: [pod('ds', { requests: { cpu: '1' }, node: 'n1', owner: 'DaemonSet/ds' })] }),
      ).needs,
    ).toEqual([
      [NOW, 0.15],
      [NOW + MINUTE, 0.2],
      [NOW + 2 * MINUTE, 0.15],
      [NOW + 4 * MINUTE, 0],
    ]);
  });

  test('is of the last six hours', () => {
    const one = { groups: [group('web', { nodes: ['n1'] })], nodes: [node('n1', BIG)] };
    const { from, to, nodes, waiting, minutes } = recorded(at(0), ...times(80, (i) => at(10 + i * 10, one)));
    expect(to - from).toBe(360 * MINUTE);
    expect(nodes.map(({ name }) => name)).toEqual(['n1']);
    expect(minutes('n1')).toEqual(['used 0–360']);
    expect(waiting).toHaveLength(1);
  });
});

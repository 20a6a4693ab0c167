import { describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleUp } from '../../../core/evaluate.ts';
import { createQuotaLedger } from '../../../core/headroom/quota-ledger.ts';
import { createNamespaceHeadroom, headroomIn, MAX_VIRTUAL_PODS } from '../../../core/headroom/virtual-pods.ts';
import type { CapacityBuffer } from '../../../core/model/cluster/capacity-buffer.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { pod } from '../../builders.ts';
import { group, type GroupGiven, running, scenario, times } from '../../scenario-builders.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { AT_ONCE, BEFORE, replica, WEB, workerNode } from '../scaledown/cluster.ts';
import { buffer, template } from './given.ts';

interface Given {
  readonly buffers: readonly CapacityBuffer[];
  readonly nodes?: readonly string[];
  readonly pods?: Scenario['objects']['pods'];
  readonly group?: GroupGiven;
  readonly options?: Partial<Scenario['options']>;
  readonly state?: Partial<Scenario['state']>;
}

/** A group `web` of nodes of 4 CPU, and a template of one CPU. */
const given = ({ buffers, nodes = [], pods = [], group: of, options, state }: Given): Scenario =>
  scenario({
    groups: [group('web', { nodes, ...of })],
    nodes: nodes.map((name) => workerNode(name)),
    pods,
    objects: { controllers: [WEB], capacityBuffers: buffers, podTemplates: [template('chunk', { cpu: '1' })] },
    options: { capacityBuffers: true, ...options },
    state: { ...BEFORE, ...state },
  });

const reports = (of: Scenario) => evaluate(of).scaleUp.headroom;

describe('the room of a capacity buffer', () => {
  test('is bought, as for pending pods', () => {
    const { scaleUp } = evaluate(given({ buffers: [buffer('spare', { replicas: 6 })] }));
    expect(scaleUp.increases).toEqual([{ group: 'web', from: 0, to: 2 }]);
    expect(scaleUp.pods).toEqual([]);
    expect(scaleUp.headroom).toEqual([
      { source: 'CapacityBuffer', name: 'default/spare', wanted: 6, fits: 0, triggered: 6 },
    ]);
  });

  test('is there already on nodes that have it, and on upcoming ones', () => {
    const nodes = ['n1', 'n2'];
    const instances = [running('i-1', 'n1'), running('i-2', 'n2'), running('i-3', null)];
    const first = given({ buffers: [buffer('spare', { replicas: 12 })], nodes, group: { instances, target: 3 } });
    const decision = evaluate(first);
    expect(decision.scaleUp.increases).toEqual([]);
    expect(decision.scaleUp.headroom).toMatchObject([{ wanted: 12, fits: 12, triggered: 0 }]);
  });

  test('is bought again where real pods have taken it', () => {
    const nodes = ['n1'];
    const spare = [buffer('spare', { replicas: 2 })];
    const taken = replica('taken', 'n1', { requests: { cpu: '3' } });
    expect(reports(given({ buffers: spare, nodes }))).toMatchObject([{ fits: 2, triggered: 0 }]);
    const of = given({ buffers: spare, nodes, pods: [taken] });
    expect(reports(of)).toMatchObject([{ fits: 1, triggered: 1 }]);
    expect(evaluateScaleUp(of).scaleUp.headroom).toMatchObject([{ fits: 1, triggered: 1 }]);
  });

  test('is bought beside that of pods that wait, which come first', () => {
    const waits = times(2, (i) => pod(`p-${i}`, { requests: { cpu: '1' } }));
    const { scaleUp } = evaluate(given({ buffers: [buffer('spare', { replicas: 2 })], nodes: ['n1'], pods: waits }));
    expect(scaleUp.pods.map(({ outcome }) => outcome)).toEqual(['Fits', 'Fits']);
    expect(scaleUp.headroom).toMatchObject([{ fits: 2 }]);
    const more = evaluate(given({ buffers: [buffer('spare', { replicas: 4 })], nodes: ['n1'], pods: waits }));
    expect(more.scaleUp.pods.map(({ outcome }) => outcome)).toEqual(['Fits', 'Fits']);
    expect(more.scaleUp.headroom).toMatchObject([{ fits: 2, triggered: 2 }]);
  });

  test('keeps an unneeded node, which goes without it', () => {
    const nodes = ['n1', 'n2'];
    const pods = [replica('runs', 'n1')];
    const gone = (buffers: readonly CapacityBuffer[]) =>
      evaluate(given({ buffers, nodes, pods, options: AT_ONCE })).scaleDown.removals.map(({ node }) => node);
    expect(gone([])).toEqual(['n2']);
    expect(gone([buffer('spare', { replicas: 3 })])).toEqual(['n2']);
    expect(gone([buffer('spare', { replicas: 4 })])).toEqual([]);
  });

  test('is not there where no group has it, for the reasons that pods have', () => {
    const one = given({ buffers: [buffer('spare', { replicas: 3 })], group: { max: 0 } });
    expect(reports(one)).toMatchObject([
      { wanted: 3, fits: 0, triggered: 0, reasons: [{ group: 'web', reason: 'max node group size reached' }] },
    ]);
  });

  test('is limited by the limits of the cluster', () => {
    const one = given({ buffers: [buffer('spare', { replicas: 9 })], options: { maxNodesTotal: 2 } });
    expect(reports(one)).toMatchObject([{ wanted: 9, triggered: 8 }]);
  });

  test('is none where the buffer is wrong, and says why; the others have theirs', () => {
    const buffers = [buffer('a', { replicas: 1, podTemplate: 'gone' }), buffer('b', { replicas: 1 })];
    expect(reports(given({ buffers }))).toEqual([
      {
        source: 'CapacityBuffer',
        name: 'default/a',
        wanted: 0,
        fits: 0,
        triggered: 0,
        problem: 'there is no PodTemplate default/gone',
      },
      { source: 'CapacityBuffer', name: 'default/b', wanted: 1, fits: 0, triggered: 1 },
    ]);
  });

  test('is not held while the option is off', () => {
    const off = given({ buffers: [buffer('spare', { replicas: 6 })], options: { capacityBuffers: false } });
    expect(evaluate(off).scaleUp).toMatchObject({ result: 'NotNeeded' });
    expect(reports(off)).toBeUndefined();
  });

  const countsOf = (buffers: readonly CapacityBuffer[], most: number) => {
    const one = given({ buffers, options: { maxHeadroomPerNamespace: most } });
    const templates = buffers.map(({ namespace }) => ({ ...template('chunk', { cpu: 1 }), namespace }));
    const scenarioOf = { ...one, objects: { ...one.objects, podTemplates: templates } };
    return headroomIn(scenarioOf, createQuotaLedger([]), createNamespaceHeadroom(most)).map(({ count, problem }) => ({
      count,
      problem,
    }));
  };

  test('is bounded for a namespace, the oldest buffers first', () => {
    const buffers = [
      buffer('a', { replicas: 200, createdAt: epochMs(2_000) }),
      buffer('b', { replicas: 200, createdAt: epochMs(1_000) }),
      buffer('c', { namespace: 'other', replicas: 200 }),
    ];
    expect(countsOf(buffers, 250)).toEqual([
      { count: 50, problem: 'limited from 200 to 50: maxHeadroomPerNamespace is 250 for namespace default' },
      { count: 200, problem: null },
      { count: 200, problem: null },
    ]);
  });

  test('is bounded for the cluster, and shared among namespaces', () => {
    const buffers = [
      buffer('a', { namespace: 'aaa', replicas: 4_000 }),
      buffer('b', { namespace: 'aaa', replicas: 2_000_000_000 }),
      buffer('c', { namespace: 'prod', replicas: 7 }),
      buffer('d', { namespace: 'zzz', replicas: 3_000 }),
    ];
    const counts = countsOf(buffers, 0);
    expect(counts.map(({ count }) => count)).toEqual([2_497, 0, 7, 2_496]);
    expect(counts[3]!.problem).toBe(
      `limited from 3000 to 2496: a cluster has ${MAX_VIRTUAL_PODS} virtual pods at most`,
    );
  });

  test('is decided the same whatever the order of the buffers', () => {
    const buffers = [buffer('a', { replicas: 3 }), buffer('b', { replicas: 5, podTemplate: 'chunk' })];
    expect(evaluate(given({ buffers: buffers.toReversed() }))).toEqual(evaluate(given({ buffers })));
  });

  test('has its place on the node that was bought for it', () => {
    const buffers = [buffer('spare', { replicas: 3 })];
    const first = evaluate(given({ buffers }));
    const group = { target: 1, instances: [running('i-1', null)] };
    const second = evaluate(given({ buffers, group, state: first.state }));
    expect(second.scaleUp).toMatchObject({ increases: [], headroom: [{ wanted: 3, fits: 3 }] });
  });
});

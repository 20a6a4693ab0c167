import { describe, expect, it } from 'vitest';
import { Snapshot } from '../../../../../core/model/snapshot/snapshot.ts';
import { NO_OBJECTS } from '../../../../../core/model/scenario.ts';
import { estimate } from '../../../../../core/estimator/estimator.ts';
import type { ScaleUpCandidate } from '../../../../../core/scaleup/orchestrator/expansion-options.ts';
import { budgeted } from '../../../../../core/scheduling/budgeted-scheduler.ts';
import { ScratchEstimates } from '../../../../../core/scaleup/orchestrator/choose.ts';
import { createScheduler } from '../../../../../core/scheduling/scheduler.ts';
import { node, pod } from '../../../../builders.ts';

/** Two candidates, of large and of small nodes, for seven pods; an old node has room for one. */
function setUp() {
  const snapshot = new Snapshot({ keys: [] });
  const old = snapshot.addNode(node('old', { cpu: 1 }), null);
  const outer = budgeted(createScheduler(snapshot, NO_OBJECTS));
  const scheduler = budgeted(outer);
  const kind = snapshot.kindOf(pod('p', { requests: { cpu: 1 } }));
  const make = (cpu: number) => () => {
    snapshot.place(kind, old);
    return estimate({
      snapshot,
      scheduler,
      loads: [{ kind, count: 6 }],
      offerNode: (use) => use(snapshot.addNode(node(`planned-${snapshot.nodes.length}`, { cpu }), null)),
    });
  };
  return {
    scratch: new ScratchEstimates({ snapshot, scheduler }),
    large: { candidate: {} as ScaleUpCandidate, make: make(4) },
    small: { candidate: {} as ScaleUpCandidate, make: make(2) },
    seen: () => ({
      nodes: snapshot.nodes.map((info) => [info?.name, [...(info?.free ?? [])], [...(info?.pods.values() ?? [])]]),
      asked: [scheduler.schedulerChecks(), outer.schedulerChecks()],
    }),
  };
}

describe('scratch estimates', () => {
  it('shows one estimate at a time', () => {
    const { scratch, large, small, seen } = setUp();
    const before = seen();
    scratch.show(large.candidate, large.make);
    expect(seen().nodes).toHaveLength(3);
    scratch.show(small.candidate, small.make);
    expect(seen().nodes).toHaveLength(4);
    scratch.clear();
    expect(seen()).toEqual({ ...before, asked: seen().asked });
  });

  it('shows a kept estimate as if it had been made again, its scheduler checks included', () => {
    const [kept, anew] = [setUp(), setUp()].map(({ scratch, large, small, seen }, i) => {
      const first = scratch.show(large.candidate, large.make);
      if (i === 0) {
        scratch.keep();
      }
      scratch.show(small.candidate, small.make);
      const settled = scratch.settle(large.candidate, large.make);
      return { seen: seen(), again: settled !== first, placed: settled.placements.map(({ count }) => count) };
    });
    expect(kept).toEqual({ ...anew, again: false });
    expect(anew!.again).toBe(true);
  });

  it('leaves the estimate that is shown as it is when that is chosen', () => {
    const { scratch, large, small, seen } = setUp();
    scratch.show(large.candidate, large.make);
    const shown = scratch.show(small.candidate, small.make);
    const before = seen();
    expect(scratch.settle(small.candidate, small.make)).toBe(shown);
    expect(seen()).toEqual(before);
  });

  it('makes an estimate anew where another one was kept', () => {
    const { scratch, large, small, seen } = setUp();
    scratch.show(large.candidate, large.make);
    scratch.show(small.candidate, small.make);
    scratch.keep();
    expect(scratch.settle(large.candidate, large.make).nodes).toHaveLength(2);
    expect(seen().nodes).toHaveLength(3);
  });
});

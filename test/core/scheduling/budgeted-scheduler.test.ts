import { expect, it } from 'vitest';
import { HOSTNAME_LABEL } from '../../../core/model/cluster/node.ts';
import type { PodSpec } from '../../../core/model/cluster/pod.ts';
import { budgeted } from '../../../core/scheduling/budgeted-scheduler.ts';
import { clusterSnapshot } from '../../../core/scheduling/cluster-snapshot.ts';
import { createScheduler } from '../../../core/scheduling/scheduler.ts';
import { affinityTerm, clusterObjects, node, pod, selector } from '../../builders.ts';
import { times } from '../../scenario-builders.ts';

/** Terms that select pods with the label `app`. */
const terms = (count: number): Partial<PodSpec> => ({
  podAntiAffinity: times(count, (i) =>
    affinityTerm(
      HOSTNAME_LABEL,
      selector(
        {},
        { key: 'app', operator: 'Exists', values: [] },
        { key: `k${i}`, operator: 'DoesNotExist', values: [] },
      ),
      selector(),
    ),
  ),
});

/** Count of one check of the pod, beside a pod on another node. */
function countOfCheck(asked: Partial<PodSpec>, running: Partial<PodSpec>, labels: Record<string, string>): number {
  const objects = clusterObjects({
    nodes: [node('a'), node('b')],
    pods: [pod('running', { node: 'a', spec: running })],
  });
  const wanted = pod('wanted', { labels, spec: asked });
  const snapshot = clusterSnapshot(objects, [wanted]);
  const scheduler = budgeted(createScheduler(snapshot, objects));
  scheduler.check(snapshot.kindOf(wanted), snapshot.byName(objects.nodes[1]!.name)!);
  return scheduler.schedulerChecks();
}

it.each([
  ['few terms', terms(3), {}, {}, 1],
  ['64 terms of its own', terms(64), {}, {}, 5],
  ['60 terms of pods that keep away from it', {}, terms(60), { app: 'web' }, 4],
  ['60 terms of pods that select others', {}, terms(60), {}, 1],
])('a check counts by its terms: of a pod with %s', (_, asked, running, labels, count) => {
  expect(countOfCheck(asked, running, labels)).toBe(count);
});

import type { V1Node } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { repetitions } from '../sample.ts';
import { openScaleDownGround, type ScaleDownGround } from './scale-down-ground.ts';
import { startKilling } from './killing.ts';
import type { Outrigger } from './servers/outrigger.ts';
import { SOON } from './soon.ts';

const KEPT = 3;
const KILLS = repetitions(20, 4);
/** Drains take some ten seconds each, and wait for twice that when their driver has died. */
const LIFETIME = { changes: 20, atMostMs: 10_000 };

test('exactly the nodes that may go are drained and given back, within every budget', async () => {
  const ground = await openScaleDownGround('scale-down');
  const { cluster } = ground;
  const options = await cluster.optionsFile(SOON);
  const outrigger = cluster.outrigger('outrigger', `--options=${options}`, '--schedule=1s', '--verbose');
  await outrigger.untilLogged('an evaluation', () => outrigger.logged().length > 2);
  // While there is load, every node is needed.
  await cluster.untilEvaluations(5);
  expect(await cluster.sizes()).toEqual(everyGroup(ground, 4));

  await ground.ease();
  const eased = performance.now();
  await untilGivenBack(ground);
  process.stdout.write(
    `scale-down: 9 nodes drained and gone in ${((performance.now() - eased) / 1000).toFixed(1)} s\n`,
  );
  await ground.untilSettled(KEPT);
  // The log says why the others stay.
  for (const { name, reason } of ground.kept) expect(blockersOf(outrigger, name)).toContain(reason);
  await expectAllWell(ground);
});

test(`${KILLS} processes that are killed during the drains leave nothing behind`, async () => {
  const ground = await openScaleDownGround('drains-killed');
  const options = await ground.cluster.optionsFile(SOON);
  const killing = await startKilling(ground.cluster, [`--options=${options}`, '--verbose'], LIFETIME);
  await ground.ease();
  for (let index = 0; index < KILLS; index += 1) {
    const moment = await killing.kill();
    process.stdout.write(`killed ${moment}; ${ground.bridge.ended.length} nodes gone\n`);
  }
  const last = killing.start();
  await untilGivenBack(ground);
  await ground.untilSettled(KEPT);
  await expectAllWell(ground);
  expect(await last.stop()).toBe('0');
});

const everyGroup = ({ groups }: ScaleDownGround, size: number): Readonly<Record<string, number>> =>
  Object.fromEntries(groups.map((group) => [group, size]));

const untilGivenBack = ({ cluster, kept }: ScaleDownGround) =>
  cluster.kube.until<V1Node>('/api/v1/nodes', {
    // Nine drains, of which each may wait for the budgets of the others.
    timeoutMs: 600_000,
    what: `the end of all nodes but ${kept.map(({ name }) => name).join(', ')}`,
    holds: (nodes) => nodes.length <= KEPT,
    describe: (nodes) =>
      nodes.map(({ metadata, spec }) => `${metadata?.name} ${JSON.stringify(spec?.taints)}`).join(', '),
  });

/** The reasons that were logged for a node that stays. */
function blockersOf(outrigger: Outrigger, node: string): readonly unknown[] {
  return outrigger
    .logged()
    .flatMap((line) => (line['unremovable'] ?? []) as readonly Readonly<Record<string, unknown>>[])
    .filter((each) => each['node'] === node)
    .map((each) => each['podReason'] ?? each['reason']);
}

async function expectAllWell(ground: ScaleDownGround): Promise<void> {
  const { cluster, bridge, kept, nodes } = ground;
  // Two more scans, in which nothing more may go.
  await cluster.untilEvaluations(2);
  const left = await cluster.kube.list<V1Node>('/api/v1/nodes');
  expect(sorted(left.map(({ metadata }) => metadata!.name!))).toEqual(sorted(kept.map(({ name }) => name)));
  expect(await cluster.sizes()).toEqual(everyGroup(ground, 1));
  for (const { spec, metadata } of left) {
    expect([spec?.taints ?? [], spec?.unschedulable ?? false]).toEqual([[], false]);
    expect(Object.keys(metadata?.labels ?? {})).not.toContain(
      'node.kubernetes.io/exclude-from-external-load-balancers',
    );
  }
  const went = nodes.filter(({ name }) => !kept.some((node) => node.name === name));
  // None with a pod that had to move still on it.
  expect(bridge.ended.filter(({ lost }) => lost.length > 0)).toEqual([]);
  expect(sorted(bridge.ended.map(({ node }) => node))).toEqual(sorted(went.map(({ name }) => name)));
  // Each by name, and once.
  const ended = cluster.recorder.calls
    .filter(({ action, status }) => action === 'TerminateInstanceInAutoScalingGroup' && status === 200)
    .map(({ parameters }) => parameters.get('InstanceId') ?? '');
  expect(sorted(ended)).toEqual(sorted(went.map(({ instance }) => instance)));
  expect(cluster.recorder.sizeChanges()).toEqual([]);
  await ground.budgets.stop();
}

const sorted = (names: readonly string[]): readonly string[] => names.toSorted((a, b) => (a < b ? -1 : 1));

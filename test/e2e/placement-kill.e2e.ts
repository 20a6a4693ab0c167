import type { V1Node } from '@kubernetes/client-node';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { AWAITING_PODS_TAINT } from '../../core/model/cluster/node.ts';
import { openCluster, WEBHOOK, type E2eCluster } from './cluster.ts';
import { stateOf } from './killing.ts';
import { allowNominations, recordNominated, REGISTERS_CLOSED } from './placement/nominations.ts';
import { recordOpenings, spreadInWords } from './placement/openings.ts';
import { connectionIn, kubeconfigOf } from './servers/api-server.ts';
import { startKubeGate } from './servers/kube-gate.ts';
import type { LogLine } from './servers/outrigger.ts';
import type { Side } from './servers/tripwire.ts';

const NOMINATION = /^PATCH \/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/status$/;
const OPENING = /^(?:PATCH|PUT) \/api\/v1\/nodes\/[^/]+$/;

/** The steps of a release at which the process is killed. */
const STEPS: readonly { readonly what: string; readonly at: RegExp; readonly nth: number; readonly side: Side }[] = [
  { what: 'before the first nomination', at: NOMINATION, nth: 1, side: 'before' },
  { what: 'after the first nomination', at: NOMINATION, nth: 1, side: 'after' },
  { what: 'between nominations', at: NOMINATION, nth: 4, side: 'before' },
  { what: 'before a taint is taken off', at: OPENING, nth: 1, side: 'before' },
  { what: 'after a taint is taken off', at: OPENING, nth: 1, side: 'after' },
  { what: 'between two nodes', at: OPENING, nth: 2, side: 'before' },
];
/** Three on a node, so that a release has nominations to be killed between. */
const POD = { cpuMilli: 1200, memoryMib: 1024 };
const PODS_PER_STEP = 9;
const GROUPS = {
  name: 'm5',
  instanceType: 'm5.xlarge',
  zones: ['us-east-1a', 'us-east-1b'],
  min: 0,
  max: 50,
  desired: 0,
  tags: REGISTERS_CLOSED,
};
const BOOT_MS = 1_000;
/** No ready node keeps the taint for longer once a process is there again. */
const LONGEST_SECONDS = 60;

test('no node stays closed when the process is killed at any step of a release', async () => {
  const cluster = await openCluster('placement-kill');
  await allowNominations(cluster);
  await cluster.createGroups(GROUPS);
  cluster.bridge(BOOT_MS);
  const outriggers = connectionIn(await readFile(inject('outriggerKubeconfig'), 'utf8'));
  const gate = await startKubeGate(outriggers, inject('certificate'));
  onTestFinished(() => gate.stop());
  const kubeconfig = path.join(inject('logs'), 'gate.kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(gate.connection), { mode: 0o600 });
  const options = await cluster.optionsFile({ plannedPlacement: true, scaleDownEnabled: false });
  let started = 0;
  const start = async () => {
    started += 1;
    const args = [
      ...WEBHOOK,
      ...stateOf(cluster),
      '--schedule=1s',
      `--options=${options}`,
      `--kubeconfig=${kubeconfig}`,
    ];
    const outrigger = cluster.outrigger(`process-${started}`, ...args);
    await outrigger.untilLogged('its start', isUp);
    return outrigger;
  };

  const openings = recordOpenings(cluster);
  const nominated = recordNominated(cluster);
  let outrigger = await start();
  const held: number[] = [];
  for (const [index, { what, at, nth, side }] of STEPS.entries()) {
    const caught = gate.catchRequest(at, nth, side);
    await cluster.createDeployment(`step-${index}`, PODS_PER_STEP, POD);
    const request = await caught;
    expect(await outrigger.stop('SIGKILL')).toBe('SIGKILL');
    const closed = (await closedNodes(cluster)).length;
    gate.open();
    const back = performance.now();
    outrigger = await start();
    await cluster.untilRunning((index + 1) * PODS_PER_STEP);
    await untilAllOpen(cluster);
    const since = openings.held(back).filter((seconds) => seconds > 0);
    held.push(...since);
    process.stdout.write(
      `killed ${what} (${request}): ${closed} nodes closed, ` +
        `${since.length} opened by the next process, ${spreadInWords(since)} after its start\n`,
    );
  }
  openings.stop();
  nominated.stop();
  const running = await cluster.untilRunning(STEPS.length * PODS_PER_STEP);
  process.stdout.write(
    `${nominated.to.size} of ${running.length} pods were nominated, ${nominated.asPlanned(running)} of them run there\n`,
  );

  // It takes its webhook away, as long as the gate is open.
  expect(await outrigger.stop()).toBe('0');
  expect(held.length).toBeGreaterThanOrEqual(STEPS.length);
  expect(Math.max(...held)).toBeLessThanOrEqual(LONGEST_SECONDS);
  // Nothing was bought twice, though processes die that have just bought.
  const sizes = Object.values(await cluster.sizes());
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe((STEPS.length * PODS_PER_STEP) / 3);
});

const isUp = ({ message }: LogLine): boolean => String(message).startsWith('Autoscaling cluster');

const isClosed = ({ spec }: V1Node): boolean => spec?.taints?.some(({ key }) => key === AWAITING_PODS_TAINT) === true;

const closedNodes = async ({ kube }: E2eCluster): Promise<readonly V1Node[]> =>
  (await kube.list<V1Node>('/api/v1/nodes')).filter(isClosed);

const untilAllOpen = async ({ kube }: E2eCluster): Promise<void> => {
  await kube.until<V1Node>('/api/v1/nodes', {
    what: 'the end of all taints that await pods',
    holds: (nodes) => !nodes.some(isClosed),
    describe: (nodes) => `${nodes.filter(isClosed).length} closed nodes`,
  });
};

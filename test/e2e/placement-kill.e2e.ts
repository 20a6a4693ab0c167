import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCluster, WEBHOOK } from './cluster.ts';
import { stateOf } from './killing.ts';
import { allowOptions } from './local-rights.ts';
import { recordNominated } from './placement/nominations.ts';
import { recordOpenings, spreadInWords } from './placement/openings.ts';
import {
  BOOT_MS,
  GROUPS,
  POD,
  PODS_PER_STEP,
  closedNodes,
  RELEASE_STEPS,
  untilAllOpen,
} from './placement/release-steps.ts';
import { connectionIn, kubeconfigOf } from './servers/api-server.ts';
import { startKubeGate } from './servers/kube-gate.ts';
import type { LogLine } from './servers/outrigger.ts';
import { serverSet } from './server-set.ts';

test('no node stays closed when the process is killed at any step of a release', async () => {
  const cluster = await openCluster('placement-kill');
  await allowOptions(cluster, { plannedPlacement: true });
  await cluster.createGroups(GROUPS);
  cluster.bridge(BOOT_MS);
  const outriggers = connectionIn(await readFile(serverSet.outriggerKubeconfig, 'utf8'));
  const gate = await startKubeGate(outriggers, serverSet.certificate);
  onTestFinished(() => gate.stop());
  const kubeconfig = path.join(serverSet.logs, 'gate.kubeconfig');
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
  for (const [index, { what, at, nth, side }] of RELEASE_STEPS.entries()) {
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
  const running = await cluster.untilRunning(RELEASE_STEPS.length * PODS_PER_STEP);
  process.stdout.write(
    `${nominated.to.size} of ${running.length} pods were nominated, ${nominated.asPlanned(running)} of them run there\n`,
  );

  // It takes its webhook away, as long as the gate is open.
  expect(await outrigger.stop()).toBe('0');
  expect(held.length).toBeGreaterThanOrEqual(RELEASE_STEPS.length);
  // Nothing was bought twice, though processes die that have just bought.
  const sizes = Object.values(await cluster.sizes());
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe((RELEASE_STEPS.length * PODS_PER_STEP) / 3);
});

const isUp = ({ message }: LogLine): boolean => String(message).startsWith('Autoscaling cluster');

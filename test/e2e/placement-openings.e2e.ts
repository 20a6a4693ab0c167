import { expect, test } from 'vitest';
import { openCluster } from './cluster.ts';
import { allowNominations, REGISTERS_CLOSED } from './placement/nominations.ts';
import { recordOpenings, spreadInWords } from './placement/openings.ts';

const NODES = 12;
/** One on a node. */
const POD = { cpuMilli: 3000, memoryMib: 1024 };
const GROUPS = {
  name: 'm5',
  instanceType: 'm5.xlarge',
  zones: ['us-east-1a', 'us-east-1b', 'us-east-1c'],
  min: 0,
  max: NODES,
  desired: 0,
  tags: REGISTERS_CLOSED,
};
const BOOT_MS = 3_000;
const BOOT_SPREAD_MS = 6_000;
/** No ready node keeps the taint for longer. */
const LIMIT_SECONDS = 60;

test.each([
  { how: 'by the webhook', name: 'openings-notified', notified: true, goal: 1 },
  { how: 'by evaluations alone', name: 'openings-evaluated', notified: false, goal: 10 },
])('nodes that become ready one after another are opened $how', async ({ how, name, notified, goal }) => {
  const cluster = await openCluster(name);
  await allowNominations(cluster);
  await cluster.createGroups(GROUPS);
  cluster.bridge(BOOT_MS, [], BOOT_SPREAD_MS);
  const options = `--options=${await cluster.optionsFile({ plannedPlacement: true })}`;
  const openings = recordOpenings(cluster);
  if (notified) {
    await cluster.outriggerWithWebhook('outrigger', options);
    await cluster.createDeployment('web', NODES, POD);
  } else {
    await cluster.createDeployment('web', NODES, POD);
    await cluster.untilEvent('FailedScheduling');
    cluster.outrigger('outrigger', options);
  }
  await cluster.untilRunning(NODES);
  openings.stop();

  const held = openings.held();
  process.stdout.write(
    `${held.length} nodes opened ${how}: ${spreadInWords(held)} after readiness (goal: ${goal} s)\n`,
  );
  expect(held).toHaveLength(NODES);
  expect(held.at(-1)).toBeLessThanOrEqual(LIMIT_SECONDS);
});

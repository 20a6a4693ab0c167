import { describe, expect, onTestFinished, test } from 'vitest';
import { openManagedCluster } from './cluster-api/ground.ts';
import { installClusterApiForTests } from './cluster-api/installation.ts';
import { OPTIONS } from './cluster-api/scaling.ts';
import { openCluster } from './cluster.ts';
import { region } from './servers/aws-clients.ts';
import { scaleUpAndDown, withoutEntries } from './template/cluster-api.ts';
import { ACCOUNT, type Deployment } from './template/deployment.ts';
import { applyRoles, buildBundles, deployTemplate } from './template/ground.ts';
import { isKilled } from './template/killed.ts';
import { plain, withoutActions } from './template/mutants.ts';
import { permits, type RbacObject, rbacMutants } from './template/rbac.ts';
import { newRecords } from './template/records.ts';
import { synthesize } from './template/synthesize.ts';
import { isRewired, wiringOf } from './template/wiring.ts';

const NAME = 'template-capi';
const bundles = await buildBundles();
const { template, ...synthesized } = synthesize(
  { name: NAME, mode: 'act', webhook: 'none', clusterApi: { autoScalingGroups: false }, options: OPTIONS },
  bundles,
);
const manifests = (JSON.parse(String(template.Outputs?.['Rbac']?.Value)) as { readonly items: readonly RbacObject[] })
  .items;
/** Requests of the run below: the tables after it go by them. */
let ran: Pick<Deployment, 'records' | 'resolve' | 'resolveIn'> = {
  records: newRecords(),
  resolve: (value) => value,
  resolveIn: () => (value) => value,
};

installClusterApiForTests();

test('the functions scale MachineDeployments and a MachineSet of the real Cluster API, and ask nothing of Auto Scaling and EC2', async () => {
  const cluster = await openCluster(NAME);
  const deployment = await deployTemplate({ template, ...synthesized }, cluster, {}, {});
  onTestFinished(() => deployment.stop());
  onTestFinished(await applyRoles(cluster.kube, deployment.output('Rbac')));
  ran = deployment;
  const managed = await openManagedCluster(cluster, { bootMs: 500 });
  await scaleUpAndDown(cluster, managed, deployment);
  const readers = deployment.records.kube.filter(({ attributes }) => attributes.group === 'cluster.x-k8s.io');
  expect(new Set(readers.map(({ role }) => plain(role)))).toEqual(
    new Set(['ScaleUpRole', 'ScaleDownRole', 'DrainRole', 'ActuateRole']),
  );
});

describe('a cluster of Cluster API is not described without', () => {
  const actions = withoutActions(template).filter(({ name }) => name.includes(': eks:'));
  test.each(actions.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    expect(await isKilled(template, mutant, ran.records.aws, ran.resolve)).toBe(true);
  });
});

describe('a role is another one in the cluster, or none, without', () => {
  test.each(withoutEntries(template))('%s', async (_, mutant) => {
    const place = { account: ACCOUNT, region };
    const changed = () => wiringOf(mutant, ran.resolveIn(mutant), place);
    expect(await isRewired(wiringOf(template, ran.resolve, place), changed, ran.records.occasions)).toBe(true);
  });
});

/** Rights that the run has no use for, and why they are there. */
const NOT_NEEDED: readonly (readonly [name: RegExp, reason: string])[] = [
  [
    /: (?:get|patch) .*machinepools/,
    'Machines of a pool are made by its provider, which is none here: test/providers/clusterapi.',
  ],
  [/: delete .*machines$/, 'A machine that is to be replaced, as the group keeps its size: test/providers/clusterapi.'],
];

test('every exception is about a right that the roles have', () => {
  const names = rbacMutants(manifests).map(({ name }) => name);
  expect(NOT_NEEDED.filter(([pattern]) => !names.some((name) => pattern.test(name)))).toEqual([]);
});

describe('a request about machines is refused without', () => {
  const mutants = rbacMutants(manifests).filter(({ name }) => /outrigger-(?:cluster-api|machines)/.test(name));
  test.each(mutants.map(({ name, objects }) => [name, objects] as const))('%s', (name, objects) => {
    const isRefused = ran.records.kube
      .filter(({ groups, attributes }) => permits(manifests, groups, attributes))
      .some(({ groups, attributes }) => !permits(objects, groups, attributes));
    expect(isRefused).toBe(!NOT_NEEDED.some(([pattern]) => pattern.test(name)));
  });
});

import { describe, expect, onTestFinished, test } from 'vitest';
import { openManagedCluster } from './cluster-api/ground.ts';
import { startManagementClusterForTests } from './cluster-api/installation.ts';
import { OPTIONS } from './cluster-api/scaling.ts';
import { openCluster } from './cluster.ts';
import { region } from './servers/aws-clients.ts';
import { scaleUpAndDown, withoutEntries } from './template/cluster-api.ts';
import { ACCOUNT, type Deployment } from './template/deployment.ts';
import { applyRoles, buildBundles, deployTemplate } from './template/ground.ts';
import { isKilled } from './template/killed.ts';
import { plain, withoutActions } from './template/mutants.ts';
import type { KubeRecord, Records } from './template/records.ts';
import { type Synthesized, synthesize } from './template/synthesize.ts';
import { isRewired, wiringOf } from './template/wiring.ts';

const MANAGEMENT = 'management';
const bundles = await buildBundles();

const synthesizeFor = (name: string, of: object): Synthesized =>
  synthesize(
    {
      name,
      mode: 'act',
      webhook: 'none',
      clusterApi: { autoScalingGroups: false, managementCluster: { name: MANAGEMENT, ...of } },
      options: OPTIONS,
    },
    bundles,
  );

const management = startManagementClusterForTests();

/** Deploys a stack and has it scale a cluster whose machines are in the management cluster. */
async function run(name: string, synthesized: Synthesized): Promise<Deployment> {
  const cluster = await openCluster(name);
  const { kube, connection } = management();
  const deployment = await deployTemplate(synthesized, cluster, {}, {}, { cluster: MANAGEMENT, connection });
  onTestFinished(() => deployment.stop());
  onTestFinished(await applyRoles(cluster.kube, deployment.output('Rbac')));
  onTestFinished(await applyRoles(kube, deployment.output('ManagementRbac')));
  const managed = await openManagedCluster(cluster, { management: kube, bootMs: 500 });
  await scaleUpAndDown(cluster, managed, deployment);
  return deployment;
}

/** Who asked a cluster for something. */
const rolesIn = ({ kube }: Records, cluster: string): ReadonlySet<string> =>
  new Set(kube.filter((record) => record.cluster === cluster).map(({ role }) => plain(role)));

const isOfClusterApi = ({ attributes }: KubeRecord): boolean => attributes.group.endsWith('cluster.x-k8s.io');

/** Everything about machines is asked of the management cluster, and nothing else is. */
function expectTwoClusters({ kube }: Records): void {
  expect(kube.filter((record) => isOfClusterApi(record) !== (record.cluster === MANAGEMENT))).toEqual([]);
}

describe('with the roles of the functions', () => {
  const NAME = 'template-managed';
  const synthesized = synthesizeFor(NAME, {});
  const { template } = synthesized;
  /** Requests of the run below: the tables after it go by them. */
  let ran: Deployment | null = null;

  test('the functions scale resources of another cluster, as the users that its access entries make of them', async () => {
    ran = await run(NAME, synthesized);
    expectTwoClusters(ran.records);
    expect(rolesIn(ran.records, MANAGEMENT)).toEqual(
      new Set(['ScaleUpRole', 'ScaleDownRole', 'DrainRole', 'ActuateRole']),
    );
    expect(rolesIn(ran.records, NAME)).toEqual(new Set(['ScaleUpRole', 'ScaleDownRole', 'DrainRole']));
  });

  const actions = withoutActions(template).filter(({ name }) => name.includes(': eks:'));
  test.each(actions.map((mutant) => [mutant.name, mutant] as const))(
    'no cluster is described without %s',
    async (_, mutant) => {
      expect(await isKilled(template, mutant, ran!.records.aws, ran!.resolve)).toBe(true);
    },
  );

  test.each(withoutEntries(template))('a role is another one, or none, without %s', async (_, mutant) => {
    const { resolve, resolveIn, records } = ran!;
    const place = { account: ACCOUNT, region };
    const changed = () => wiringOf(mutant, resolveIn(mutant), place);
    expect(await isRewired(wiringOf(template, resolve, place), changed, records.occasions)).toBe(true);
  });
});

describe('with a role of the account of the management cluster', () => {
  const NAME = 'template-managed-elsewhere';
  const ROLE = { role: 'arn:aws:iam::210987654321:role/outrigger', externalId: 'of-this-stack' };
  const synthesized = synthesizeFor(NAME, ROLE);
  const { template } = synthesized;
  let ran: Deployment | null = null;

  test('the functions assume it for the management cluster, and for nothing else', async () => {
    ran = await run(NAME, synthesized);
    const { records } = ran;
    expectTwoClusters(records);
    expect(rolesIn(records, MANAGEMENT)).toEqual(new Set(['RoleOfTheManagementCluster']));
    expect(rolesIn(records, NAME)).toEqual(new Set(['ScaleUpRole', 'ScaleDownRole', 'DrainRole']));
    const asked = records.aws.filter(({ principal }) => principal === 'RoleOfTheManagementCluster');
    expect(new Set(asked.map(({ request }) => `${request.action} ${request.resource}`))).toEqual(
      new Set([`eks:DescribeCluster arn:aws:eks:${region}:210987654321:cluster/${MANAGEMENT}`]),
    );
  });

  const actions = withoutActions(template).filter(({ name }) => name.includes(': sts:AssumeRole on arn'));
  test.each(actions.map((mutant) => [mutant.name, mutant] as const))(
    'it is not assumed without %s',
    async (_, mutant) => {
      expect(await isKilled(template, mutant, ran!.records.aws, ran!.resolve)).toBe(true);
    },
  );

  test('it is assumed by the functions that reach the management cluster, with the external ID', async () => {
    const { iam } = ran!;
    const role = iam.roleByArn(ROLE.role);
    const callers = iam.roles.filter(({ id }) => /^(?:Wake|Scale|Drain|Actuate)/.test(id));
    const may = async (externalId: string) => {
      const asked = callers.map(async ({ id }) => [
        plain(id),
        await iam.mayAssume(id, role, { 'sts:ExternalId': externalId }),
      ]);
      return Object.fromEntries(await Promise.all(asked)) as unknown;
    };
    const [ScaleUpRole, ScaleDownRole, DrainRole, ActuateRole] = [true, true, true, true];
    expect(await may(ROLE.externalId)).toEqual({ ScaleUpRole, ScaleDownRole, DrainRole, ActuateRole, WakeRole: false });
    expect(Object.values((await may('of-another-stack')) as object)).not.toContain(true);
  });
});

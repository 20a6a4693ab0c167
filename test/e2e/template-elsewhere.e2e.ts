import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCluster } from './cluster.ts';
import { region } from './servers/aws-clients.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { ACCOUNT, type Deployment } from './template/deployment.ts';
import { applyRoles, buildBundles, deployTemplate } from './template/ground.ts';
import { isKilled } from './template/killed.ts';
import { plain, withoutActions } from './template/mutants.ts';
import { newRecords } from './template/records.ts';
import { instanceOf, scanning, untilDrained, untilNoticed, untilWeb } from './template/run.ts';
import { iamOf } from './template/iam.ts';
import { resourcesOf, synthesize } from './template/synthesize.ts';
import { callsOf, options, WEB } from './template/variants.ts';

const bundles = await buildBundles();
const ELSEWHERE = {
  name: 'elsewhere',
  mode: 'act',
  webhook: 'none',
  scanInterval: '10s',
  role: 'arn:aws:iam::210987654321:role/outrigger',
  externalId: 'of-this-stack',
  vpc: { vpcId: 'vpc-0a1b2c3d', subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
  options,
};
const elsewhere = synthesize(ELSEWHERE, bundles);
/** Requests of the run below: the tables after it go by them. */
let assumed: Pick<Deployment, 'records' | 'resolve' | 'iam'> | null = null;

/** Services whose calls are about what is in the account of the cluster. */
const OF_THE_CLUSTER =
  /^(?:arc-zonal-shift|autoscaling|eks|ec2:(?!\w*(?:NetworkInterface|PrivateIpAddresses|DescribeSubnets)))/;

test('functions in a VPC scale a cluster in another account, by a role that its outputs describe', async () => {
  const cluster = await openCluster('elsewhere');
  const { kube, name } = cluster;
  const deployment = await deployTemplate(elsewhere, cluster, {}, {});
  onTestFinished(() => deployment.stop());
  onTestFinished(await applyRoles(kube, deployment.output('Rbac')));
  const { records } = deployment;
  assumed = deployment;
  await cluster.createGroups(WEB);
  cluster.bridge(100);
  const size = async (): Promise<number | undefined> => (await cluster.sizes())['elsewhere-web-a'];

  // The schedule fires once: a scan that scale-up sends itself finds the pod.
  for (const schedule of deployment.triggers.schedules) await deployment.triggers.fire(schedule);
  await vi.waitFor(() => expect(callsOf(records, 'ScaleUp')).toContain('dynamodb:UpdateItem'), {
    timeout: PATIENCE_MS,
  });
  await cluster.createDeployment('web', 1, { cpuMilli: 900, memoryMib: 500 });
  await vi.waitFor(async () => expect(await size()).toBe(1), { timeout: PATIENCE_MS, interval: 200 });
  await untilWeb(cluster, 1);
  await untilNoticed({ deployment }, await instanceOf(cluster, 'elsewhere-web-a'));
  await kube.patch(`/apis/apps/v1/namespaces/${name}/deployments/web`, { spec: { replicas: 0 } });
  await untilWeb(cluster, 0);
  await scanning(deployment, async () => expect(await size()).toBe(0));

  const callers = records.aws.filter(({ request }) => OF_THE_CLUSTER.test(request.action));
  expect(new Set(callers.map(({ principal }) => principal))).toEqual(new Set(['RoleOfTheCluster']));
  expect(new Set(records.kube.map(({ role }) => role))).toEqual(new Set(['RoleOfTheCluster']));
  const asked = records.aws.filter(({ request }) => request.action === 'sts:AssumeRole');
  expect(new Set(asked.flatMap(({ principal }) => (principal?.endsWith('.com') ? [] : [plain(principal!)])))).toEqual(
    new Set(['WakeRole', 'ScaleUpRole', 'ScaleDownRole', 'DrainRole', 'ActuateRole']),
  );
  await untilDrained(deployment);
  expect([...records.problems]).toEqual([]);
  expect(records.aws.filter(({ allowed }) => !allowed)).toEqual([]);
});

describe('a function of another account is refused without', () => {
  const own = withoutActions(elsewhere.template).filter(
    ({ name, effect }) => effect === 'Allow' && /: (?:sts:AssumeRole on arn|ec2:)/.test(name),
  );
  test.each(own.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    expect(await isKilled(elsewhere.template, mutant, assumed!.records.aws, assumed!.resolve)).toBe(true);
  });

  test.each(['of-another-stack', null])('the external ID: %s', async (id) => {
    const { iam } = assumed!;
    const role = iam.roles.find(({ arn }) => arn === ELSEWHERE.role)!;
    const context = (given: string | null) => (given === null ? {} : { 'sts:ExternalId': given });
    const callers = iam.roles.filter((one) => /^(?:Wake|Scale|Drain|Actuate)/.test(one.id));
    expect(callers).toHaveLength(5);
    for (const { id: caller } of callers) {
      expect(await iam.mayAssume(caller, role, context(ELSEWHERE.externalId))).toBe(true);
      expect(await iam.mayAssume(caller, role, context(id))).toBe(false);
    }
  });
});

describe('the code of a function in a VPC may make no network interfaces because of', () => {
  const denying = withoutActions(elsewhere.template).filter(({ name }) => name.startsWith('NetworkInterfaces'));
  test.each(denying.map((mutant) => [mutant.name, mutant] as const))('%s', async (name, mutant) => {
    const { resolve } = assumed!;
    const action = /refusing (\S+)/.exec(name)![1]!;
    const resource = action.includes('Describe') ? '*' : `arn:aws:ec2:${region}:${ACCOUNT}:network-interface/eni-1`;
    const [whole, without] = [elsewhere.template, mutant.template].map((each) =>
      iamOf(ACCOUNT, each, resolve, newRecords()),
    );
    for (const { id, arn } of assumedFunctions()) {
      const context = { 'lambda:SourceFunctionArn': arn };
      expect(await whole!.judge(id, { action, resource, context })).toBe(false);
      expect(await without!.judge(id, { action, resource, context })).toBe(true);
    }
  });
});

/** ARNs of the functions in the VPC, with the logical ids of their roles. */
const assumedFunctions = (): readonly { readonly id: string; readonly arn: string }[] =>
  resourcesOf(elsewhere.template, 'AWS::Lambda::Function').flatMap(([id, { Properties = {} }]) => {
    const { Role, VpcConfig } = Properties as { readonly Role: unknown; readonly VpcConfig?: object };
    const { resolve, iam } = assumed!;
    const arn = String(resolve({ 'Fn::GetAtt': [id, 'Arn'] }));
    return VpcConfig === undefined ? [] : [{ id: iam.roleByArn(String(resolve(Role))).id, arn }];
  });

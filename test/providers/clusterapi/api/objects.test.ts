import { describe, expect, it } from 'vitest';
import { readClusterObject, machineReader, scalableReader } from '../../../../providers/clusterapi/api/objects.ts';
import { CLUSTER_API, OPENSHIFT_MACHINE_API } from '../../../../providers/clusterapi/api/resources.ts';
import { type SectionReader, sectionOf } from '../../../../providers/manifest/fields.ts';
import { explainInvalid, type Invalid } from '../../../../providers/manifest/invalid.ts';
import { type Raw, rawMachine, rawObject, rawScalable } from '../builders.ts';

function read<T>(reader: SectionReader<T>, raw: unknown): { readonly value: T; readonly problems: readonly string[] } {
  const problems: Invalid[] = [];
  const value = reader(sectionOf(raw, '', problems));
  return { value, problems: problems.map(explainInvalid) };
}

function readWell<T>(reader: SectionReader<T>, raw: unknown): T {
  const { value, problems } = read(reader, raw);
  expect(problems).toEqual([]);
  return value;
}

const deployment = scalableReader('MachineDeployment', CLUSTER_API);
const machine = machineReader(CLUSTER_API);

describe('a scalable resource', () => {
  const template = (spec: Raw): Raw => ({ template: { metadata: { labels: { tier: 'web' } }, spec } });

  it('has the infrastructure template of either contract', () => {
    const former = rawScalable('MachineDeployment', 'a', {
      spec: template({
        infrastructureRef: {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
          kind: 'AWSMachineTemplate',
          name: 't',
          namespace: 'other',
        },
      }),
    });
    const current = rawScalable('MachineDeployment', 'a', {
      namespace: 'team',
      spec: template({
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachineTemplate', name: 't' },
      }),
    });

    expect(readWell(deployment, former).infrastructure).toEqual({
      apiGroup: 'infrastructure.cluster.x-k8s.io',
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
      kind: 'AWSMachineTemplate',
      namespace: 'other',
      name: 't',
    });
    expect(readWell(deployment, current).infrastructure).toEqual({
      apiGroup: 'infrastructure.cluster.x-k8s.io',
      apiVersion: null,
      kind: 'AWSMachineTemplate',
      namespace: 'team',
      name: 't',
    });
  });

  it('has no infrastructure template with machine.openshift.io, whose labels of Nodes are in the spec', () => {
    const set = scalableReader('MachineSet', OPENSHIFT_MACHINE_API);
    const raw = rawScalable('MachineSet', 'a', {
      apiVersion: 'machine.openshift.io/v1beta1',
      labels: { 'machine.openshift.io/cluster-name': 'labelled' },
      spec: {
        clusterName: undefined,
        ...template({
          metadata: { labels: { zone: 'a' } },
          taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
          providerSpec: { value: { instanceType: 'm5.large' } },
        }),
      },
      status: { errorReason: 'InvalidConfiguration', errorMessage: 'no AMI' },
    });

    expect(readWell(set, raw)).toMatchObject({
      clusterName: 'labelled',
      infrastructure: null,
      template: {
        labels: { tier: 'web' },
        nodeLabels: { zone: 'a' },
        taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
      },
      failure: { reason: 'InvalidConfiguration', message: 'no AMI' },
    });
  });

  it('has one replica where it does not say how many', () => {
    expect(
      readWell(deployment, rawScalable('MachineDeployment', 'a', { spec: { replicas: undefined } })).replicas,
    ).toBe(1);
    expect(readWell(deployment, rawScalable('MachineDeployment', 'a', { spec: { replicas: 0 } })).replicas).toBe(0);
  });

  it.each([
    ['its annotation', { annotations: { 'cluster.x-k8s.io/paused': 'false' } }, true],
    ['no pause of its rollouts', { spec: { paused: true } }, false],
    ['the annotation of another group', { annotations: { 'example.com/paused': 'true' } }, false],
  ])('is paused by %s', (_by, fields, paused) => {
    expect(readWell(deployment, rawScalable('MachineDeployment', 'a', fields)).paused).toBe(paused);
  });

  it('has the owner that is its controller', () => {
    const set = scalableReader('MachineSet', CLUSTER_API);
    const owned = rawScalable('MachineSet', 'a', { owner: 'MachineDeployment/parent' });

    expect(readWell(set, owned).owner).toEqual({
      kind: 'MachineDeployment',
      name: 'parent',
      uid: 'MachineDeployment/parent',
    });
    expect(readWell(set, rawScalable('MachineSet', 'a')).owner).toBeNull();
  });

  it.each([
    ['v1beta1', (conditions: readonly Raw[]): Raw => ({ conditions })],
    ['v1beta2', (conditions: readonly Raw[]): Raw => ({ deprecated: { v1beta1: { conditions } } })],
  ])('fails where it cannot create machines, in %s', (_version, status) => {
    const set = scalableReader('MachineSet', CLUSTER_API);
    const failed = {
      type: 'MachinesCreated',
      status: 'False',
      reason: 'InfrastructureTemplateCloningFailed',
      message: 'm',
    };
    const created = { type: 'MachinesCreated', status: 'True' };
    const waiting = { type: 'MachinesCreated', status: 'False', reason: 'PreflightCheckFailed', message: 'm' };

    expect(readWell(set, rawScalable('MachineSet', 'a', { status: status([failed]) })).failure).toEqual({
      reason: 'InfrastructureTemplateCloningFailed',
      message: 'm',
    });
    expect(readWell(set, rawScalable('MachineSet', 'a', { status: status([created]) })).failure).toBeNull();
    expect(readWell(set, rawScalable('MachineSet', 'a', { status: status([waiting]) })).failure).toBeNull();
  });

  it('has the provider IDs of a MachinePool', () => {
    const pool = scalableReader('MachinePool', CLUSTER_API);

    expect(
      readWell(pool, rawScalable('MachinePool', 'p', { spec: { providerIDList: ['aws:///a/i-1'] } })).providerIds,
    ).toEqual(['aws:///a/i-1']);
  });

  it.each<[string, Raw, string]>([
    ['replicas', { replicas: 'three' }, 'spec.replicas: expected an integer, found "three"'],
    [
      'a template label',
      { template: { metadata: { labels: { a: 1 } } } },
      'spec.template.metadata.labels.a: expected a string (numbers and true or false in quotes), found 1',
    ],
    [
      'a reference',
      { template: { spec: { infrastructureRef: { kind: 'X' } } } },
      'spec.template.spec.infrastructureRef.name: expected a name, found nothing',
    ],
  ])('reports %s that cannot be read, with its place', (_what, spec, message) => {
    expect(read(deployment, rawScalable('MachineDeployment', 'a', { spec })).problems).toEqual([message]);
  });

  it('is refused without a namespace, and reported once without an owner’s name', () => {
    const raw = rawObject('MachineDeployment', 'a', { namespace: '', owner: 'MachineSet/' });

    expect(read(deployment, raw).problems).toEqual([
      'metadata.namespace: expected a name, found ""',
      'metadata.ownerReferences[0].name: expected a name, found ""',
    ]);
  });
});

describe('a Machine', () => {
  it.each<[string, Raw, Raw | null]>([
    ['v1beta1', { failureReason: 'CreateError', failureMessage: 'quota' }, { reason: 'CreateError', message: 'quota' }],
    [
      'v1beta2',
      { deprecated: { v1beta1: { failureReason: 'CreateError', failureMessage: 'quota' } } },
      { reason: 'CreateError', message: 'quota' },
    ],
    [
      'machine.openshift.io',
      { errorReason: 'CreateError', errorMessage: 'quota' },
      { reason: 'CreateError', message: 'quota' },
    ],
    ['a message alone', { failureMessage: 'quota' }, { reason: '', message: 'quota' }],
    ['the phase alone', { phase: 'Failed' }, { reason: '', message: '' }],
    ['none', { phase: 'Provisioning' }, null],
  ])('has the failure of %s', (_of, status, failure) => {
    expect(readWell(machine, rawMachine('m', { status })).failure).toEqual(failure);
  });

  it.each<[string, Raw | null, string | null]>([
    ['v1beta1', { kind: 'Node', apiVersion: 'v1', name: 'n1' }, 'n1'],
    ['v1beta2', { name: 'n1' }, 'n1'],
    ['another kind', { kind: 'Pod', name: 'n1' }, null],
    ['none', null, null],
  ])('has the reference to its Node of %s', (_of, nodeRef, name) => {
    expect(readWell(machine, rawMachine('m', { status: { nodeRef } })).nodeRef).toBe(name);
  });

  it.each<[string, string, Parameters<typeof rawMachine>[1], string | null]>([
    ['its spec', CLUSTER_API, { spec: { failureDomain: 'us-east-1a' } }, 'us-east-1a'],
    ['its status', CLUSTER_API, { status: { failureDomain: 'us-east-1b' } }, 'us-east-1b'],
    ['its label', OPENSHIFT_MACHINE_API, { labels: { 'machine.openshift.io/zone': 'us-east-1c' } }, 'us-east-1c'],
    ['nothing', CLUSTER_API, {}, null],
  ])('has the zone of %s', (_of, group, fields, zone) => {
    expect(readWell(machineReader(group), rawMachine('m', fields)).zone).toBe(zone);
  });
});

describe('a Cluster', () => {
  const cluster = readClusterObject(CLUSTER_API);

  it.each([
    [{ spec: { paused: true } }, true],
    [{ annotations: { 'cluster.x-k8s.io/paused': '' } }, true],
    [{}, false],
  ])('with %j is paused: %s', (fields, paused) => {
    expect(readWell(cluster, rawObject('Cluster', 'c1', fields)).paused).toBe(paused);
  });
});

import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../../core/model/values/time.ts';
import { createLaunchSource } from '../../../../providers/aws/launches/launches.ts';
import { mixedOf, scalingGroup } from '../builders.ts';
import {
  type Answer,
  type Call,
  type Xml,
  ec2Error,
  ec2Result,
  instanceTypeXml,
  startWireServer,
} from '../wire-server.ts';

const SIZES: Readonly<Record<string, number>> = { 'm5.large': 2, 'm5.xlarge': 4, 'c5.large': 2, 'r5.large': 2 };

interface World {
  /** Content of launch template lt-1. */
  readonly template?: Xml;
  readonly matching?: readonly string[];
  readonly images?: readonly Xml[];
  readonly intercept?: (call: Call) => Answer | null;
}

/** EC2 with one launch template. */
async function world(given: World = {}) {
  const { template = {}, matching = [], images = [], intercept } = given;
  const server = await startWireServer((call) => {
    const { action, parameters } = call;
    const wanted = [...parameters].filter(([name]) => name.startsWith('Filter.1.Value.')).map(([, value]) => value);
    const answers: Readonly<Record<string, () => Xml>> = {
      DescribeLaunchTemplateVersions: () => ({
        launchTemplateVersionSet: [
          { launchTemplateId: 'lt-1', versionNumber: 1, defaultVersion: true, launchTemplateData: template },
        ],
      }),
      DescribeImages: () => ({ imagesSet: images }),
      GetInstanceTypesFromInstanceRequirements: () => {
        const start = Number(parameters.get('NextToken') ?? 0);
        return {
          instanceTypeSet: matching.slice(start, start + 2).map((name) => ({ instanceType: name })),
          ...(start + 2 < matching.length ? { nextToken: start + 2 } : {}),
        };
      },
      DescribeInstanceTypes: () => ({
        instanceTypeSet: wanted
          .filter((name) => name in SIZES)
          .map((name) => ({ ...(instanceTypeXml(name) as object), vCpuInfo: { defaultVCpus: SIZES[name]! } })),
      }),
    };
    return intercept?.(call) ?? ec2Result(action, answers[action]!());
  });
  const source = createLaunchSource(server.clients, () => epochMs(0));
  const { calls } = server;
  return {
    resolve: async (extra: Partial<AutoScalingGroup>) => {
      const group = scalingGroup('web', extra);
      return (await source.resolve([group])).get(group)!;
    },
    /** Parameters of the first call of an action. */
    said: (action: string) => Object.fromEntries(calls.find((call) => call.action === action)?.parameters ?? []),
    count: (action: string) => calls.filter((call) => call.action === action).length,
  };
}

const names = (found: Awaited<ReturnType<Awaited<ReturnType<typeof world>>['resolve']>>) =>
  found.ok ? found.value.types.map(({ type }) => type.name) : found.error;

const AMI = 'ami-0123';
const IMAGE: Xml = { imageId: AMI, architecture: 'arm64' };
const ATTRIBUTES: Xml = { vCpuCount: { min: 2, max: 4 }, memoryMiB: { min: 4_096 } };
const byAttributes: Partial<AutoScalingGroup> = {
  LaunchTemplate: undefined,
  MixedInstancesPolicy: {
    LaunchTemplate: {
      LaunchTemplateSpecification: { LaunchTemplateId: 'lt-1', Version: '1' },
      Overrides: [
        {
          InstanceRequirements: {
            VCpuCount: { Min: 2, Max: 4 },
            MemoryMiB: { Min: 4_096 },
            ExcludedInstanceTypes: ['t*'],
            BurstablePerformance: 'excluded',
          },
        },
      ],
    },
  },
};

describe('a mixed instances policy', () => {
  test('starts its types in its order, each once', async () => {
    const { resolve } = await world({ template: { instanceType: 'r5.large' } });
    expect(names(await resolve(mixedOf(['m5.xlarge', 'm5.large', 'm5.xlarge'])))).toEqual(['m5.xlarge', 'm5.large']);
  });

  test('without types leaves it to its launch template', async () => {
    const { resolve } = await world({ template: { instanceType: 'r5.large' } });
    expect(names(await resolve(mixedOf([])))).toEqual(['r5.large']);
  });

  test('goes on with the types that can be read, and says which cannot', async () => {
    const { resolve } = await world();
    expect(await resolve(mixedOf(['m5.lrage', 'm5.large']))).toMatchObject({
      value: {
        types: [{ type: { name: 'm5.large' } }],
        problems: ['instance type m5.lrage could not be read (Configuration, NotFound): no m5.lrage'],
      },
    });
    expect(names(await resolve(mixedOf(['m5.lrage'])))).toContain('instance type m5.lrage could not be read');
  });
});

describe('types chosen by attributes', () => {
  test('are all that match, for the processors of the image, smallest first', async () => {
    const { resolve, said, count } = await world({
      template: { imageId: AMI },
      images: [IMAGE],
      matching: ['m5.xlarge', 'r5.large', 'm5.large', 'c5.large'],
    });
    expect(names(await resolve(byAttributes))).toEqual(['c5.large', 'm5.large', 'r5.large', 'm5.xlarge']);
    expect(said('DescribeImages')).toMatchObject({
      'Filter.1.Name': 'image-id',
      'Filter.1.Value.1': AMI,
      IncludeDeprecated: 'true',
    });
    expect(said('GetInstanceTypesFromInstanceRequirements')).toMatchObject({
      'ArchitectureType.1': 'arm64',
      'VirtualizationType.1': 'hvm',
      'InstanceRequirements.VCpuCount.Min': '2',
      'InstanceRequirements.VCpuCount.Max': '4',
      'InstanceRequirements.MemoryMiB.Min': '4096',
      'InstanceRequirements.ExcludedInstanceType.1': 't*',
      'InstanceRequirements.BurstablePerformance': 'excluded',
    });
    expect(count('GetInstanceTypesFromInstanceRequirements')).toBe(2);
  });

  test('by the launch template are found too, and remembered', async () => {
    const { resolve, said, count } = await world({
      template: { imageId: AMI, instanceRequirements: ATTRIBUTES },
      images: [IMAGE],
      matching: ['m5.large'],
    });
    expect(names(await resolve({}))).toEqual(['m5.large']);
    expect(names(await resolve({}))).toEqual(['m5.large']);
    expect(said('GetInstanceTypesFromInstanceRequirements')).toMatchObject({
      'InstanceRequirements.VCpuCount.Max': '4',
      'InstanceRequirements.MemoryMiB.Min': '4096',
    });
    expect(count('GetInstanceTypesFromInstanceRequirements')).toBe(1);
  });

  test('give way to a type that the policy names', async () => {
    const { resolve, count } = await world({ template: { imageId: AMI, instanceRequirements: ATTRIBUTES } });
    expect(names(await resolve(mixedOf(['m5.large'])))).toEqual(['m5.large']);
    expect(count('GetInstanceTypesFromInstanceRequirements')).toBe(0);
  });

  test.each([
    ['resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/arm64/standard/recommended/image_id', 'arm64'],
    ['resolve:ssm:/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/image_id', 'x86_64'],
  ])('are asked for by the parameter that names the image: %s', async (imageId, architecture) => {
    const { resolve, said, count } = await world({ template: { imageId }, matching: ['m5.large'] });
    expect(names(await resolve(byAttributes))).toEqual(['m5.large']);
    expect(said('GetInstanceTypesFromInstanceRequirements')['ArchitectureType.1']).toBe(architecture);
    expect(count('DescribeImages')).toBe(0);
  });

  const why = 'it chooses instance types by attributes, and launch template lt-1:1';
  test.each<readonly [string, World, string]>([
    ['no image', {}, `${why} has no image, so the architecture of its instances is not known`],
    [
      'an image that is not found',
      { template: { imageId: AMI } },
      `${why} has image ${AMI}, which could not be read (Configuration, NotFound): no ${AMI}`,
    ],
    [
      'an image behind a parameter that does not tell',
      { template: { imageId: 'resolve:ssm:/ours/image' } },
      `${why} has image resolve:ssm:/ours/image, which does not contain an architecture; use the ID of the image`,
    ],
    [
      'nothing that matches',
      { template: { imageId: AMI }, images: [IMAGE] },
      'no instance type for arm64 images matches its attributes',
    ],
    [
      'no permission to ask',
      {
        template: { imageId: AMI },
        images: [IMAGE],
        intercept: ({ action }) =>
          action === 'GetInstanceTypesFromInstanceRequirements' ? ec2Error(403, 'UnauthorizedOperation', 'no') : null,
      },
      'the instance types that its attributes match could not be read (Authorization, UnauthorizedOperation): no',
    ],
  ])('cannot be told with %s', async (_, given, message) => {
    const { resolve } = await world(given);
    expect(await resolve(byAttributes)).toEqual({ ok: false, error: message });
  });
});

test.each<readonly [string, Partial<AutoScalingGroup>, string]>([
  ['names nothing', { LaunchTemplate: undefined }, 'it has neither a launch template nor a launch configuration'],
  ['names no type', {}, 'launch template lt-1:1 has no instance type'],
])('a group that %s starts nothing', async (_, extra, message) => {
  const { resolve } = await world();
  expect(await resolve(extra)).toEqual({ ok: false, error: message });
});

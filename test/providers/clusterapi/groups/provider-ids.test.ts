import { describe, expect, it } from 'vitest';
import { isSameInstance, isSameLast, parseProviderId } from '../../../../providers/clusterapi/groups/provider-ids.ts';

describe('a provider ID', () => {
  it.each<[string, string | null, string]>([
    ['aws:///us-east-1a/i-0abc', 'aws', 'us-east-1a i-0abc'],
    ['aws:////i-0abc', 'aws', 'i-0abc'],
    ['aws:///us-east-1a/i-0abc/', 'aws', 'us-east-1a i-0abc'],
    [' aws:///us-east-1a/i-0abc\n', 'aws', 'us-east-1a i-0abc'],
    ['AWS:///us-east-1a/i-0abc', 'aws', 'us-east-1a i-0abc'],
    ['i-0abc', null, 'i-0abc'],
    ['us-east-1a/i-0abc', null, 'us-east-1a i-0abc'],
    ['gce://project/europe-west1-b/worker-1', 'gce', 'project europe-west1-b worker-1'],
    [
      'azure:///subscriptions/S/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/VM',
      'azure',
      'subscriptions s resourcegroups rg providers microsoft.compute virtualmachines vm',
    ],
    ['openstack:///6ab4', 'openstack', '6ab4'],
    ['openstack://region/6ab4', 'openstack', 'region 6ab4'],
    ['vsphere://4225', 'vsphere', '4225'],
    ['metal3://ns/host/uuid', 'metal3', 'ns host uuid'],
    ['docker:////worker-1', 'docker', 'worker-1'],
    ['equinixmetal://d5a2', 'equinixmetal', 'd5a2'],
  ])('%j has the scheme %j and the parts %j', (text, scheme, parts) => {
    const id = parseProviderId(text)!;
    expect([id.scheme, id.path.join(' '), id.last]).toEqual([scheme, parts, id.path.at(-1)]);
  });

  it.each([null, '', '   ', '/', 'aws://', 'aws:///'])('%j names no instance', (text) => {
    expect(parseProviderId(text)).toBeNull();
  });
});

describe('two provider IDs', () => {
  it.each<[string, string, 'the same' | 'perhaps' | 'others']>([
    ['aws:///us-east-1a/i-1', 'aws:///us-east-1a/i-1', 'the same'],
    ['aws:///us-east-1a/i-1', 'aws:////i-1', 'the same'],
    ['aws:///us-east-1a/i-1', 'i-1', 'the same'],
    ['aws:///us-east-1a/i-1', 'aws:///us-east-1a/i-2', 'others'],
    ['aws:///us-east-1a/i-1', 'aws:///us-east-1b/i-1', 'perhaps'],
    ['openstack:///a', 'openstack://region/a', 'the same'],
    ['openstack:///a', 'vsphere://a', 'others'],
    ['gce://p/zone-a/worker', 'gce://p/zone-b/worker', 'perhaps'],
    ['gce://p/zone-a/worker', 'gce://worker', 'the same'],
    ['azure:///s/RG/vmss-A/virtualMachines/0', 'azure:///s/rg/vmss-a/virtualmachines/0', 'the same'],
    ['azure:///s/rg/vmss-a/virtualMachines/0', 'azure:///s/rg/vmss-b/virtualMachines/0', 'perhaps'],
    ['vsphere://4225-A', 'vsphere://4225-a', 'others'],
  ])('%s and %s name %s', (a, b, expected) => {
    const [one, other] = [parseProviderId(a)!, parseProviderId(b)!];
    for (const [left, right] of [
      [one, other],
      [other, one],
    ] as const) {
      expect(isSameInstance(left, right) ? 'the same' : isSameLast(left, right) ? 'perhaps' : 'others').toBe(expected);
    }
  });
});

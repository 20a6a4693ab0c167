import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../core/model/options.ts';
import { epochMs } from '../../../core/model/time.ts';
import { isReady, readinessOf } from '../../../core/registry/readiness.ts';
import { node } from '../../builders.ts';
import { NOW } from '../../scenario-builders.ts';

const options = { ...defaultOptions(), startupTaint: ['example.com/warming-up'] };
const condition = (type: string, status: string) => ({ type, status, reason: '', since: null });
const ready = condition('Ready', 'True');
const taint = (key: string) => ({ key, value: '', effect: 'NoSchedule' });

describe('isReady', () => {
  test.each([
    { name: 'Ready', given: { conditions: [ready] }, expected: true },
    { name: 'Ready is False', given: { conditions: [condition('Ready', 'False')] }, expected: false },
    { name: 'Ready is Unknown', given: { conditions: [condition('Ready', 'Unknown')] }, expected: false },
    { name: 'no Ready condition', given: { conditions: [] }, expected: false },
    { name: 'DiskPressure', given: { conditions: [ready, condition('DiskPressure', 'True')] }, expected: false },
    {
      name: 'NetworkUnavailable',
      given: { conditions: [condition('NetworkUnavailable', 'True'), ready] },
      expected: false,
    },
    {
      name: 'MemoryPressure alone',
      given: { conditions: [ready, condition('MemoryPressure', 'True')] },
      expected: true,
    },
    { name: 'the not-ready taint', given: { taints: [taint('node.kubernetes.io/not-ready')] }, expected: false },
    {
      name: 'the disk-pressure taint',
      given: { taints: [taint('node.kubernetes.io/disk-pressure')] },
      expected: false,
    },
    {
      name: 'a startup taint by prefix',
      given: { taints: [taint('startup-taint.cluster-autoscaler.kubernetes.io/x')] },
      expected: false,
    },
    { name: 'a startup taint by option', given: { taints: [taint('example.com/warming-up')] }, expected: false },
    { name: 'some other taint', given: { taints: [taint('dedicated')] }, expected: true },
  ])('$name → $expected', ({ given, expected }) => {
    expect(isReady(node('n', {}, given), options)).toBe(expected);
  });
});

describe('readinessOf', () => {
  const young = epochMs(NOW - 60_000);
  const old = epochMs(NOW - 3_600_000);
  const notReady = [condition('Ready', 'False')];

  test.each([
    { name: 'gone from the cloud', given: {}, deleted: true, expected: 'Deleted' },
    {
      name: 'suspended',
      given: { conditions: [ready, condition('Suspended', 'True')] },
      deleted: false,
      expected: 'Suspended',
    },
    { name: 'ready', given: { createdAt: young }, deleted: false, expected: 'Ready' },
    {
      name: 'young and not ready',
      given: { createdAt: young, conditions: notReady },
      deleted: false,
      expected: 'NotStarted',
    },
    { name: 'old and not ready', given: { createdAt: old, conditions: notReady }, deleted: false, expected: 'Unready' },
    { name: 'of unknown age and not ready', given: { conditions: notReady }, deleted: false, expected: 'Unready' },
  ])('a node that is $name is $expected', ({ given, deleted, expected }) => {
    expect(readinessOf(node('n', {}, given), deleted, options, NOW)).toBe(expected);
  });
});

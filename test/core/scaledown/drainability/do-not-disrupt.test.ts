import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { DO_NOT_DISRUPT, doNotDisrupt } from '../../../../core/scaledown/drainability/do-not-disrupt.ts';
import type { PodOptions } from '../../../builders.ts';
import { ago, asked, drainContext, webPod } from '../given.ts';

describe.each(DO_NOT_DISRUPT)("%s: Karpenter's IsDoNotDisruptActive", (key) => {
  const saying = (value: string, extra: PodOptions = {}): Pod => webPod({ annotations: { [key]: value }, ...extra });

  it.each<[string, Pod, string]>([
    ['no annotation', webPod(), '-'],
    ['"true"', saying('true'), 'Block DoNotDisrupt'],
    ['"true", a pod of a DaemonSet', saying('true', { owner: 'DaemonSet/agent' }), 'Block DoNotDisrupt'],
    ['"true", a pod that has not started', saying('true', { phase: 'Pending' }), 'Block DoNotDisrupt'],
    ['"true", a pod that has ended', saying('true', { phase: 'Succeeded' }), '-'],
    ['"true", a pod that has failed', saying('true', { phase: 'Failed' }), '-'],
    ['"true", a pod that is being deleted', saying('true', { deletedAt: ago(-10) }), '-'],
    ['"false"', saying('false'), '-'],
    ['"True" is not a value', saying('True'), '-'],
    ['a duration that is not over', saying('30m', { startedAt: ago(1_799) }), 'Block DoNotDisrupt'],
    ['a duration that is just over', saying('30m', { startedAt: ago(1_800) }), '-'],
    [
      'counted from the start, not from the creation',
      saying('30m', { startedAt: ago(60), createdAt: ago(9_999) }),
      'Block DoNotDisrupt',
    ],
    ['a duration of several units', saying('1h30m', { startedAt: ago(5_399) }), 'Block DoNotDisrupt'],
    ['a duration, before the start', saying('30m', { startedAt: null, createdAt: ago(9_999) }), 'Block DoNotDisrupt'],
    ['no length at all', saying('0s', { startedAt: ago(0) }), '-'],
    ['no length at all, before the start', saying('0s', { startedAt: null }), '-'],
    ['a negative length', saying('-5m', { startedAt: ago(0) }), '-'],
    ['a number without a unit', saying('30', { startedAt: ago(0) }), '-'],
    ['empty', saying(''), '-'],
    ['a duration longer than Go has any', saying('2500000000h', { startedAt: ago(9_999) }), 'Block DoNotDisrupt'],
    ['a negative one', saying('-2500000000h', { startedAt: ago(9_999) }), '-'],
    ['200 000 digits', saying(`${'1'.repeat(200_000)}!`, { startedAt: ago(0) }), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(doNotDisrupt, pod)).toBe(expected);
  });

  it('says what, and until when', () => {
    expect(doNotDisrupt.decide(saying('30m', { startedAt: ago(600) }), drainContext())).toMatchObject({
      message: `${key} is "30m", which is until 2026-01-01T12:20:00Z`,
    });
  });
});

it('repeats no value at length', () => {
  const [key] = DO_NOT_DISRUPT;
  const value = `${'9'.repeat(63)}h`;
  expect(doNotDisrupt.decide(webPod({ annotations: { [key]: value } }), drainContext())).toMatchObject({
    message: `${key} is "${value}", which is longer than any duration and holds like "true"`,
  });
});

it('either of the two will do', () => {
  const [first, second] = DO_NOT_DISRUPT;
  const pod = webPod({ annotations: { [first]: 'nonsense', [second]: 'true' } });
  expect(asked(doNotDisrupt, pod)).toBe('Block DoNotDisrupt');
});

describe("karpenter.sh/do-not-evict: the word of Karpenter's first versions", () => {
  it.each<[string, Pod, string]>([
    ['"true"', saying('true'), 'Block DoNotDisrupt'],
    ['"true", a pod of a DaemonSet', saying('true', { owner: 'DaemonSet/agent' }), 'Block DoNotDisrupt'],
    ['"true", a pod that has ended', saying('true', { phase: 'Succeeded' }), '-'],
    ['"true", a pod that is being deleted', saying('true', { deletedAt: ago(-10) }), '-'],
    ['"false"', saying('false'), '-'],
    ['a duration is no value of it', saying('30m', { startedAt: ago(1) }), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(doNotDisrupt, pod)).toBe(expected);
  });

  it('is named as what keeps the pod', () => {
    expect(doNotDisrupt.decide(saying('true'), drainContext())).toMatchObject({
      message: 'karpenter.sh/do-not-evict is "true"',
    });
  });

  function saying(value: string, extra: PodOptions = {}): Pod {
    return webPod({ annotations: { 'karpenter.sh/do-not-evict': value }, ...extra });
  }
});

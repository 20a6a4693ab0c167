import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { bufferStatuses } from '../../../core/headroom/buffer-status.ts';
import type { BufferStatus, CapacityBuffer } from '../../../core/model/cluster/capacity-buffer.ts';
import type { ResourceQuota } from '../../../core/model/cluster/resource-quota.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';
import { buffer, template } from './given.ts';

const EARLIER = (NOW - 60_000) as EpochMs;

function statusesOf(
  of: CapacityBuffer,
  max = 10,
  resourceQuotas: readonly ResourceQuota[] = [],
): readonly BufferStatus[] {
  const given = scenario({
    groups: [group('web', { max })],
    objects: { capacityBuffers: [of], resourceQuotas, podTemplates: [template('chunk', { cpu: '1' })] },
    options: { capacityBuffers: true },
  });
  return bufferStatuses(given, evaluate(given));
}
const said = (statuses: readonly BufferStatus[]) =>
  statuses.flatMap(({ replicas, conditions }) => [
    replicas,
    ...conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`),
  ]);

describe('the status of a buffer', () => {
  it.each<[string, Partial<CapacityBuffer>, number, readonly (string | number)[]]>([
    [
      'says that it is provisioned',
      { replicas: 3 },
      10,
      [
        3,
        'ReadyForProvisioning True AttributesSetSuccessfully: ready',
        'LimitedByQuotas False ResourceQuotasAllocated: ',
        'Provisioning True FakePodsInjected: ',
      ],
    ],
    [
      'says why it is not',
      { replicas: 3 },
      0,
      [
        3,
        'ReadyForProvisioning True AttributesSetSuccessfully: ready',
        'LimitedByQuotas False ResourceQuotasAllocated: ',
        'Provisioning False NotTriggerScaleUp: 0 of 3 virtual pods have room; web: max node group size reached',
      ],
    ],
    [
      'says what is wrong with it',
      { replicas: 3, podTemplate: 'gone' },
      10,
      [
        0,
        'ReadyForProvisioning False error: there is no PodTemplate default/gone',
        'Provisioning False NotReadyForProvisioning: ',
      ],
    ],
    [
      'says that there is nothing to hold',
      { replicas: 0 },
      0,
      [
        0,
        'ReadyForProvisioning True AttributesSetSuccessfully: ready',
        'LimitedByQuotas False ResourceQuotasAllocated: ',
        'Provisioning True FakePodsInjected: ',
      ],
    ],
    ['is left to the controller of another strategy', { replicas: 3, strategy: 'example.com/standby' }, 10, []],
  ])('%s', (_, given, max, expected) => {
    expect(said(statusesOf(buffer('spare', given), max))).toEqual(expected);
  });

  it('is written of fifty buffers, and then of the others', () => {
    const many = Array.from({ length: 60 }, (_, i) => buffer(`spare-${i}`, { replicas: 1 }));
    const given = scenario({
      groups: [group('web', { max: 30 })],
      objects: { capacityBuffers: many, podTemplates: [template('chunk', { cpu: '1' })] },
      options: { capacityBuffers: true },
    });
    expect(bufferStatuses(given, evaluate(given))).toHaveLength(50);
  });

  it('is not written again while it says the same; a condition keeps its time', () => {
    const [first] = statusesOf(buffer('spare', { replicas: 3 }));
    const conditions = first!.conditions.map((one) => ({ ...one, since: EARLIER }));
    const there = { replicas: 3, statusReplicas: 3, conditions };
    expect(statusesOf(buffer('spare', there))).toEqual([]);
    const [changed] = statusesOf(buffer('spare', { ...there, generation: 4 }), 0);
    expect(
      changed!.conditions.map(({ status, since, observedGeneration }) => [status, since, observedGeneration]),
    ).toEqual([
      ['True', EARLIER, 4],
      ['False', EARLIER, 4],
      ['False', NOW, 4],
    ]);
  });

  it('is written again where its number alone has changed', () => {
    const [first] = statusesOf(buffer('spare', { replicas: 3 }));
    const there = { statusReplicas: 3, conditions: first!.conditions.map((one) => ({ ...one, since: EARLIER })) };
    expect(statusesOf(buffer('spare', { ...there, replicas: 4 }))).toMatchObject([
      { replicas: 4, conditions: [{ since: EARLIER }, { since: EARLIER }, { since: EARLIER }] },
    ]);
  });

  it.each([
    ['some of its pods', { cpu: 5_000 }, 2, 'Buffer replicas limited from 6 to 2 due to quotas: compute'],
    ['all of its pods', { cpu: 3_500 }, 0, 'Buffer replicas limited from 6 to 0 due to quotas: compute'],
  ])('says that a quota takes it %s', (_, hard, replicas, message) => {
    const quota: ResourceQuota = { namespace: 'default', name: 'compute', hard, used: { cpu: 3_000 }, scopes: [] };
    expect(said(statusesOf(buffer('spare', { replicas: 6 }), 10, [quota]))).toEqual([
      replicas,
      'ReadyForProvisioning True AttributesSetSuccessfully: ready',
      `LimitedByQuotas True ResourceQuotasAllocated: ${message}`,
      'Provisioning True FakePodsInjected: ',
    ]);
  });

  it('says why a buffer has less than it asks for, and that it is provisioned all the same', () => {
    const given = scenario({
      groups: [group('web')],
      objects: { capacityBuffers: [buffer('spare', { replicas: 3 })], podTemplates: [template('chunk', { cpu: '1' })] },
      options: { capacityBuffers: true, maxHeadroomPerNamespace: 2 },
    });
    expect(said(bufferStatuses(given, evaluate(given)))).toEqual([
      2,
      expect.stringContaining('ReadyForProvisioning True AttributesSetSuccessfully: limited from 3 to 2'),
      'LimitedByQuotas False ResourceQuotasAllocated: ',
      'Provisioning True FakePodsInjected: ',
    ]);
  });

  it('is left alone where nothing was decided about it', () => {
    const given = scenario({ objects: { capacityBuffers: [buffer('spare', { replicas: 3 })] } });
    expect(bufferStatuses(given, evaluate(given))).toEqual([]);
  });
});

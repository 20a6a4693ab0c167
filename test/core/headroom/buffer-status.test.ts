import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { bufferStatuses } from '../../../core/headroom/buffer-status.ts';
import type { BufferStatus, CapacityBuffer } from '../../../core/model/cluster/capacity-buffer.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';
import { buffer, template } from './given.ts';

const EARLIER = (NOW - 60_000) as EpochMs;

function statusesOf(of: CapacityBuffer, max = 10): readonly BufferStatus[] {
  const given = scenario({
    groups: [group('web', { max })],
    objects: { capacityBuffers: [of], podTemplates: [template('chunk', { cpu: '1' })] },
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
      [3, 'ReadyForProvisioning True AttributesSetSuccessfully: ready', 'Provisioning True FakePodsInjected: '],
    ],
    [
      'says why it is not',
      { replicas: 3 },
      0,
      [
        3,
        'ReadyForProvisioning True AttributesSetSuccessfully: ready',
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
      [0, 'ReadyForProvisioning True AttributesSetSuccessfully: ready', 'Provisioning True FakePodsInjected: '],
    ],
  ])('%s', (_, given, max, expected) => {
    expect(said(statusesOf(buffer('spare', given), max))).toEqual(expected);
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
      ['False', NOW, 4],
    ]);
  });

  it('is left alone where nothing was decided about it', () => {
    const given = scenario({ objects: { capacityBuffers: [buffer('spare', { replicas: 3 })] } });
    expect(bufferStatuses(given, evaluate(given))).toEqual([]);
  });
});

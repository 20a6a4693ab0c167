import { parseCapacitySchedules } from '../../../providers/schema/capacity-schedules.ts';
import { node, pod } from '../../builders.ts';
import { testWorld } from '../../functions/test-world.ts';
import { group, running } from '../../scenario-builders.ts';
import { buffer, template } from '../headroom/given.ts';
import { atomic, condition, pods } from '../headroom/requests/given.ts';

function schedules(text: string) {
  const parsed = parseCapacitySchedules(text);
  if (!parsed.ok) {
    throw new Error(parsed.error);
  }
  return parsed.value;
}

const OFFICE = 'from 0 8 * * 1-5 for 10h in Europe/Berlin';

/**
 * A Thursday at 13:00 in Berlin: group `web` has two nodes, one of them empty, and an upcoming node; the schedules of
 * `day` and `full` ask for more nodes than exist; `full` cannot grow. Buffers and requests ask for capacity that
 * exists, is upcoming, is added now, and is not available.
 */
export const headroomWorld = () =>
  testWorld({
    options: { capacityBuffers: true, provisioningRequests: true },
    groups: [
      group('web', {
        nodes: ['n1', 'n2'],
        instances: [running('i-1', 'n1'), running('i-2', 'n2'), running('i-3', null)],
        target: 3,
        max: 4,
      }),
      group('day', {
        max: 5,
        node: { cpu: 1, memory: '1Gi' },
        options: { capacitySchedules: schedules(`2 ${OFFICE}`) },
      }),
      group('full', {
        max: 2,
        launchSuspended: true,
        node: { cpu: 1, memory: '1Gi' },
        options: { capacitySchedules: schedules('5 from 0 8 * * 1-5 for 10h') },
      }),
    ],
    objects: {
      nodes: ['n1', 'n2'].map((name) => node(name, { cpu: 4, memory: '16Gi' })),
      pods: [pod('busy', { node: 'n1', requests: { cpu: 3 }, owner: 'ReplicaSet/busy' })],
      podTemplates: [template('chunk', { cpu: 2 }), template('large', { cpu: 64 })],
      capacityBuffers: [
        buffer('large', { podTemplate: 'large', replicas: 1 }),
        buffer('spare', { replicas: 4 }),
        buffer('wrong', { podTemplate: 'gone', replicas: 1 }),
      ],
      provisioningRequests: [
        atomic('booked', { ...pods(1), conditions: [condition('Provisioned', 1)] }),
        atomic('huge', pods(1, 'large')),
        atomic('over', { ...pods(1), conditions: [condition('Provisioned', 20)] }),
      ],
    },
  });

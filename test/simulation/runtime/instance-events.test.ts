import { expect, it } from 'vitest';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { parseInstanceEvent } from '../../../providers/schema/notice.ts';
import type { AnnouncementEvent } from '../../../simulation/world-event.ts';
import { announcedBy } from '../../../simulation/runtime/instance-events.ts';
import { START } from '../builders.ts';

const ONE = instanceId('i-00000000000000001');
const TWO = instanceId('i-00000000000000002');
const GROUP = groupName('web');

/** Outrigger's reading of the events of an announcement, as it comes. */
const readFrom = (given: Partial<AnnouncementEvent> & Pick<AnnouncementEvent, 'what'>) =>
  announcedBy({ kind: 'Announced', at: START, id: 'e', instances: [ONE, TWO], time: START, endsAt: null, ...given })!
    .events.map((event) => parseInstanceEvent(event, 'us-east-1', START))
    .flatMap((read) => {
      expect(read).toMatchObject({ ok: true, value: { kind: 'announced' } });
      return read.ok && read.value.kind === 'announced' ? read.value.announcements : [];
    });

it.each([
  ['SpotInterruption', null, addTime(START, minutes(2))],
  ['RebalanceRecommendation', null, null],
  ['ScheduledChange', addTime(START, minutes(90)), addTime(START, minutes(90))],
  ['CapacityReservationEnd', addTime(START, minutes(9)), addTime(START, minutes(9))],
  ['CapacityReservationEnd', null, addTime(START, minutes(2))],
  ['InstanceStopping', null, START],
] as const)('%s with the end %s is read as what AWS means by it', (what, endsAt, known) => {
  expect(readFrom({ what, endsAt })).toEqual(
    [ONE, TWO].map((instance) => ({ instance, kind: what, receivedAt: START, endsAt: known, hook: null })),
  );
});

it('a lifecycle hook that waits is announced with what completes it', () => {
  const about = { group: GROUP, instance: ONE, zone: 'us-east-1a', node: nodeName('node-1') };
  const announced = announcedBy({ kind: 'HookWaits', at: START, ...about, hook: 'outrigger', token: 'token-of-it' })!;
  expect(parseInstanceEvent(announced.events[0], 'us-east-1', START)).toMatchObject({
    ok: true,
    value: {
      id: announced.id,
      announcements: [{ kind: 'LifecycleHook', instance: ONE, hook: { name: 'outrigger', token: 'token-of-it' } }],
    },
  });
});

it('an instance that is being shut down is announced, and what EC2 says nothing of is not', () => {
  const about = { at: START, group: GROUP, instance: ONE, zone: 'us-east-1a' };
  expect(announcedBy({ kind: 'InstanceStopping', ...about })?.events).toMatchObject([
    { 'detail-type': 'EC2 Instance State-change Notification', detail: { 'instance-id': ONE, state: 'shutting-down' } },
  ]);
  expect(announcedBy({ kind: 'InstanceLaunched', ...about })).toBeNull();
});

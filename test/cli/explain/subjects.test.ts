import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { subjectText, aboutCluster } from '../../../cli/explain/subjects.ts';
import type { Subject } from '../../../core/explanation/pages/page.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { pod } from '../../builders.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import { WEB } from '../../functions/test-world.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { noticeOf, NOW } from '../../scenario-builders.ts';

const STYLE = { colors: pc.createColors(false), width: 80 };

const world = eventfulWorld();
await world.store.addNotice(
  WEB,
  noticeOf('i-web-2', 'web', { kind: 'ScheduledChange', endsAt: addTime(NOW, minutes(24 * 60)) }),
);
await evaluated(world);
await world.drains.create(WEB, {
  drain: drainOf('n3', { phase: 'Evicting', waitingFor: 'pod default/busy to end' }),
  attempt: 1,
  drivenUntil: addTime(NOW, minutes(2)),
});
const record = await clusterRecordOf(world);

function told(subject: Subject, name: string): string {
  const answered = subjectText(subject, name, record);
  return answered.ok ? answered.value.text(STYLE) : answered.error.join('\n');
}

describe('the status in words', () => {
  const status = aboutCluster(record);
  const text = status.ok ? status.value.text(STYLE) : '';

  it.each([
    'Scale-up    node groups grow; evaluated at 2026-01-01T12:00:00Z, 1m30s ago;',
    'Needs correction (1)\n  node group wrong  invalid node group: tag k8s.io/x',
    '  web-b  0 → 1    0    5      0         0',
    "  2  didn't trigger scale-up: default/huge, default/huge-2\n     2 groups: Insufficient cpu",
    '  1  triggered scale-up of web-b: default/waits',
    'n1  web  since 2026-01-01T12:00:00Z, 1m30s ago;',
    'Drains (1)\n  n3  a  Evicting: pods are evicted, since 2026-01-01T12:00:00Z, 1m30s ago\n         waits for: pod default/busy to end',
    'Interruption notices (1)\n  n3  web  scheduled maintenance, announced at 2026-01-01T12:00:00Z',
  ])('has %j', (line) => {
    expect(text).toContain(line);
  });
});

describe('an explanation in words', () => {
  it.each<[Subject, string, string]>([
    ['pod', 'default/huge', 'Reasons\n  2 groups: Insufficient cpu\n  web, web-b\n'],
    [
      'pod',
      'default/huge-2',
      'Unmet requirements\n  web, web-b  asks for 100 CPU; a new node has 4\n  full        asks for 100 CPU; a new node has 4. Also max node group size\n              reached\n\nNearest: web, with a request of at most 4 CPU\n',
    ],
    ['pod', 'waits', 'Node group  web-b, from 0 to 1'],
    ['pod', 'default/solo', 'Keeps its node\n  n2  no controller would re-create the pod'],
    ['pod', 'default/busy', 'error: Nothing is known of pod default/busy: the last decision of scale-up'],
    ['node', 'n1', 'Unneeded since  2026-01-01T12:00:00Z, 1m30s ago'],
    ['node', 'n2', 'BlockedByPod: pod default/solo: no controller would re-create the pod'],
    ['node', 'n3', 'Drain\n  Evicting: pods are evicted'],
    ['node', 'n3', 'Interruption notices\n  scheduled maintenance, announced at 2026-01-01T12:00:00Z'],
    ['group', 'web', 'Interruption notices\n  n3  scheduled maintenance'],
    ['node', 'n4', 'Did you mean n1, n2, n3?'],
    ['group', 'web', 'Template    m5.xlarge, 4 CPU, 16 GiB'],
    ['group', 'wrong', 'Cannot grow now\n  Invalid  invalid node group: tag'],
    ['group', 'wab', 'Did you mean web?'],
  ])('%s %s: %j', (subject, name, text) => {
    expect(told(subject, name)).toContain(text);
  });

  it('says that decisions have expired', () => {
    const expired = { ...record, scaleUp: null, scaleDown: null };
    const [node, status] = [subjectText('node', 'n2', expired), aboutCluster(expired)];
    expect(node.ok || node.error[0]).toContain('no decision of scale-down is stored any more, the last one is of 2026');
    expect(status.ok && status.value.text(STYLE)).toContain('Scale-up    no decision is stored any more; evaluated at');
  });

  it('does not let the texts of users steer the terminal', async () => {
    const evil = eventfulWorld({
      objects: { pods: [pod('evil\u001B[2J', { requests: { cpu: 1 }, owner: 'ReplicaSet/a' })] },
    });
    await evaluated(evil);
    const known = await clusterRecordOf(evil);
    for (const answered of [subjectText('pod', 'evil\u001B[2J', known), aboutCluster(known)]) {
      expect(answered.ok && answered.value.text(STYLE)).toContain('evil\uFFFD[2J');
    }
  });
});

import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { subjectText, aboutCluster } from '../../../cli/explain/subjects.ts';
import { liveReport } from '../../../cli/html/live-report.ts';
import { sectionsOf } from '../../../cli/html/sections.ts';
import { knownHeadroom } from '../../../core/explanation/headroom.ts';
import { explainGroup } from '../../../core/explanation/group.ts';
import { explainNode } from '../../../core/explanation/node.ts';
import { statusOf } from '../../../core/explanation/status.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { widgetPage } from '../../../providers/html/widget/page.ts';
import { writeExplanation } from '../../../providers/schema/explanation.ts';
import { scenario } from '../../scenario-builders.ts';
import { evaluated, clusterRecordOf } from '../../explained.ts';
import { headroomWorld } from './headroom-world.ts';

const world = headroomWorld();
await evaluated(world);
const record = await clusterRecordOf(world);

const OF_DAY =
  'capacity schedule "2 from 0 8 * * 1-5 for 10h in Europe/Berlin" until 2026-01-01 18:00 Europe/Berlin, 2 nodes: 2 upcoming';
const OF_SPARE = 'CapacityBuffer, 4 pods: 1 existing, 3 upcoming';

describe('headroom that is asked for', () => {
  test('is known with how much of it exists, is upcoming, or is missing', () => {
    const said = knownHeadroom(record).map(({ source, group, name, requested, existing, upcoming, missing }) => [
      `${source} ${group ?? name}`,
      requested,
      existing,
      upcoming,
      missing,
    ]);
    expect(said).toEqual([
      ['CapacitySchedule day', 2, 0, 2, 0],
      ['CapacitySchedule full', 2, 0, 0, 2],
      ['CapacityBuffer default/large', 1, 0, 0, 1],
      ['CapacityBuffer default/spare', 4, 1, 3, 0],
      ['CapacityBuffer default/wrong', 0, 0, 0, 0],
      ['ProvisioningRequest default/booked', 1, 1, 0, 0],
      ['ProvisioningRequest default/huge', 1, 0, 0, 1],
    ]);
  });

  test('says until when, and why it cannot be had', () => {
    const launch = 'not ready for scale-up: its process Launch is suspended';
    expect(knownHeadroom(record).map(({ text }) => text)).toEqual([
      OF_DAY,
      `capacity schedule "5 from 0 8 * * 1-5 for 10h" until 2026-01-01 18:00 UTC, 2 nodes: 2 missing; ${launch}`,
      `CapacityBuffer, 1 pod: 1 missing; 2 groups: Insufficient cpu; full: ${launch}`,
      OF_SPARE,
      'CapacityBuffer: there is no PodTemplate default/gone',
      'ProvisioningRequest, 1 pod: all existing',
      `ProvisioningRequest, 1 pod: 1 missing; no room for all pods; day: Insufficient cpu; web: max node group size reached; full: ${launch}`,
    ]);
  });

  test('is none before the first decision, and where none is asked for', () => {
    expect(knownHeadroom({ ...record, scaleUp: null, scaleDown: null })).toEqual([]);
  });

  test('is said of its node group, with what that cannot hold', () => {
    const of = (name: string) => explainGroup(record, groupName(name))?.headroom.map((one) => one.group ?? one.name);
    expect([of('day'), of('web')]).toEqual([
      ['day', 'default/large', 'default/huge'],
      ['default/large', 'default/huge'],
    ]);
  });

  test('is what a node says that stays for it', () => {
    expect(explainNode(record, nodeName('n2'))?.unremovable?.why).toBe(
      '100% of its cpu is requested, and 50% is the threshold; it holds headroom: 1 virtual pod of CapacityBuffer default/spare, 1 virtual pod of ProvisioningRequest default/booked',
    );
  });
});

describe('headroom is shown', () => {
  const style = { colors: pc.createColors(false), width: 200 };

  test('by outrigger status, explain group and explain node', () => {
    const texts = [aboutCluster(record), subjectText('group', 'day', record), subjectText('node', 'n2', record)].map(
      (answer) => (answer.ok ? answer.value.text(style) : ''),
    );
    expect(texts[0]).toContain(`Headroom (7)\n  day             ${OF_DAY}`);
    expect(texts[0]).toContain(`default/spare   ${OF_SPARE}`);
    expect(texts[1]).toContain(`Headroom\n  day            ${OF_DAY}`);
    expect(texts[2]).toContain('it holds headroom: 1 virtual pod of CapacityBuffer default/spare');
  });

  test('to programs', () => {
    expect(writeExplanation('Status', statusOf(record))).toMatchObject({
      headroom: expect.arrayContaining([
        expect.objectContaining({
          source: 'CapacityBuffer',
          name: 'default/spare',
          requested: 4,
          existing: 1,
          upcoming: 3,
        }),
      ]),
    });
  });

  test('on the dashboard', () => {
    const page = (view: Parameters<typeof widgetPage>[2]['view']) =>
      widgetPage(record, [], { view, theme: 'light' }, { endpoint: 'arn' });
    for (const text of ['Headroom (7)', OF_SPARE, 'Ask for less, or see why node groups do not grow.']) {
      expect(page({ kind: 'status' })).toContain(text);
    }
    expect(page({ kind: 'subject', subject: 'group', name: 'day' })).toContain('2 nodes: 2 upcoming');
    expect(page({ kind: 'subject', subject: 'node', name: 'n2' })).toContain('it holds headroom');
  });

  test('on the page of a process, and of each decision', () => {
    const recorded = { from: 0, to: 1_000, nodes: [], decisions: [], waiting: [], cost: [], needs: [], picture: null };
    const { tables } = liveReport('web', recorded, statusOf(record));
    expect(tables?.find(({ title }) => title === 'Headroom')?.rows).toContainEqual(['default/spare', OF_SPARE]);
    const rows = sectionsOf(scenario({}), record.scaleUp!).find(({ title }) => title === 'Headroom')?.rows;
    expect(rows?.map(({ label, subjects }) => `${label} ${subjects.join()}`)).toEqual([
      'capacity schedule day',
      'capacity schedule full',
      'CapacityBuffer default/large',
      'CapacityBuffer default/spare',
      'CapacityBuffer default/wrong',
      'ProvisioningRequest default/booked',
      'ProvisioningRequest default/huge',
      'ProvisioningRequest default/over',
    ]);
  });
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { aboutSince, aboutSubject } from '../../../cli/explain/since.ts';
import type { ClusterStores } from '../../../cli/explain/stored.ts';
import type { Subject } from '../../../core/explanation/pages/page.ts';
import { momentOf } from '../../../cli/history/period.ts';
import { documentSchema } from '../../../providers/schema/documents.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { evaluated } from '../../explained.ts';
import type { TestWorld } from '../../functions/test-world.ts';
import { printed, twoEvaluations } from '../history/stored-history.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const since =
  (subject: Subject, name: string, from = '2h') =>
  async (stored: ClusterStores) =>
    await aboutSince(subject, name, momentOf(from), stored);

it('tells when a pod waited and what was said of it, from a decision until another one', async () => {
  const { code, stdout, stderr } = await printed(since('pod', 'huge'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    `Pod    default/huge
Since  2026-01-01T10:30:00Z, 2h ago: 3 decisions looked at

Scale-up
  2026-01-01T12:00:00Z    Unschedulable: No node group can hold the pod. The
                          reasons say why, group by group.
  – 2026-01-01T12:15:00Z  2 groups: Insufficient cpu
                          wrong: invalid node group: tag k8s.io/x: expected a
                          number, found "many"
                          full: max node group size reached
                          decision 2
`,
  );
});

it('tells what was said before the time and held then', async () => {
  const { stdout } = await printed(since('pod', 'huge', '20m'));
  expect(stdout).toContain('2026-01-01T12:00:00Z    Unschedulable');
  const later = await printed(since('pod', 'huge', '14m'));
  expect(later).toMatchObject({ code: 1, stdout: '' });
  expect(later.stderr).toContain('error: None of 2 decisions since 2026-01-01T12:16:00Z mentions pod default/huge');
});

it('tells of a node and of a group', async () => {
  const node = await printed(since('node', 'n2'));
  expect(node.stdout).toContain('because of pod default/solo');
  const group = await printed(since('group', 'web-b'));
  expect(group.stdout).toContain(
    `Scale-up
  2026-01-01T12:00:00Z    Grows from 0 to 1.
  – 2026-01-01T12:15:00Z  decision 2
  2026-01-01T12:15:00Z    Has size 1.
                          decision 4
`,
  );
  expect(group.stdout).not.toContain('Scale-down');
});

it('prints JSON as its schema has it', async () => {
  const { stdout } = await printed(since('pod', 'huge'), { output: 'json' });
  const document: unknown = JSON.parse(stdout);
  expect(z.fromJSONSchema(documentSchema('timeline')).safeParse(document).error).toBeUndefined();
  expect(document).toMatchObject({
    kind: 'Timeline',
    subject: 'pod',
    name: 'default/huge',
    decisions: 3,
    periods: [{ part: 'scale-up', from: '2026-01-01T12:00:00Z', until: '2026-01-01T12:15:00Z', decisions: ['2'] }],
  });
});

it('says so where nothing is kept', async () => {
  const { code, stderr } = await printed(since('pod', 'huge'), { play: async () => {} });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'error: No decision of cluster web is kept since 2026-01-01T10:30:00Z: is the option decisionHistory 0, or was the cluster not evaluated?\n',
  );
});

it('names the earlier decisions about what the latest ones do not mention', async () => {
  const play = async (world: TestWorld): Promise<void> => {
    await twoEvaluations(world);
    world.time = epochMs(world.time + minutes(5));
    world.groups.groups = world.groups.groups.filter(({ name }) => name !== 'web-b');
    await evaluated(world);
  };
  const group = await printed(aboutSubject.bind(null, 'group', 'web-b'), { play });
  expect(group).toMatchObject({ code: 1, stdout: '' });
  expect(group.stderr).toContain('Earlier decisions mention it: --since 2026-01-01T12:15:00Z prints what they say.\n');
  const none = await printed(aboutSubject.bind(null, 'group', 'none'), { play });
  expect(none.stderr).not.toContain('Earlier');
});

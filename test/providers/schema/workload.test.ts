import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { explainInvalid, type Invalid } from '../../../providers/manifest/invalid.ts';
import { parseDocuments } from '../../../providers/scenario/documents.ts';
import { readBy } from '../../../providers/schema/read.ts';
import { workload } from '../../../providers/schema/workload.ts';

const [example] = parseDocuments(
  await readFile(new URL('../../../examples/workloads/mixed.yaml', import.meta.url), 'utf8'),
);
const document: unknown = example!.content.kind === 'value' ? example!.content.value : null;

test('a workload is the same after it was written and read again', () => {
  const read = z.decode(workload, document as z.input<typeof workload>);
  const written = JSON.parse(JSON.stringify(z.encode(workload, read))) as z.input<typeof workload>;
  expect(z.decode(workload, written)).toEqual(read);
  expect(written.nodeGroups).toContainEqual(
    expect.objectContaining({ name: 'gpu', boot: { min: '1m10s', max: '1m50s' } }),
  );
});

test.each([
  ['without instances', { size: 0 }, 'size: expected an integer of at least 1, found 0'],
  ['of no size', { state: 'Stopped' }, 'size: expected an integer of at least 1, found nothing'],
  [
    'in a state that EC2 does not have',
    { size: 1, state: 'stopped' },
    'state: expected one of Running, Hibernated, Stopped (did you mean Stopped?), found "stopped"',
  ],
  ['whose boot is no time', { size: 1, boot: 15 }, 'boot: expected a duration such as 30s, 10m or 1h30m, found 15'],
  [
    'with a mistyped field',
    { size: 1, bot: '5s' },
    'bot: expected one of size, state, reuse, boot (did you mean boot?), found "bot"',
  ],
])('a warm pool %s is told at its place', (_name, warmPool, expected) => {
  const group = { name: 'a', zone: 'a', instanceType: 'm5.large', maxSize: 1, warmPool };
  const problems: Invalid[] = [];
  readBy(workload, { ...(document as object), nodeGroups: [group] }, '', problems as never);
  expect(problems.map(explainInvalid)).toEqual([expect.stringContaining(`nodeGroups[0].warmPool.${expected}`)]);
});

test('times of a group that cross are told at their place', () => {
  const group = { name: 'a', zone: 'a', instanceType: 'm5.large', maxSize: 1, boot: { min: '9s', max: '1s' } };
  const problems: Invalid[] = [];
  readBy(
    workload,
    { ...(document as object), nodeGroups: [group, { ...group, boot: { min: 9 } }] },
    '',
    problems as never,
  );
  expect(problems.map(({ place, expected }) => `${place}: ${expected}`)).toEqual([
    'nodeGroups[0].boot.min: at most max',
    'nodeGroups[1].boot.min: a duration such as 30s, 10m or 1h30m',
    'nodeGroups[1].boot.max: a duration such as 30s, 10m or 1h30m',
  ]);
});

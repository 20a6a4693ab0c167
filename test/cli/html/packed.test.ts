import { expect, test } from 'vitest';
import { packed, unpacked } from '../../../cli/html/packed.ts';
import type { DecisionOfReport, Report } from '../../../cli/html/report.ts';
import type { Picture } from '../../../providers/html/picture/picture.ts';

const SECTIONS = [
  { title: 'Nodes kept', rows: [{ label: 'NotUnderutilized', text: 'in use', subjects: ['node-1', 'node-2'] }] },
];
const decisionAt = (at: number, sections: DecisionOfReport['sections']): DecisionOfReport => ({
  at,
  name: null,
  kind: 'scale-down',
  message: 'no node is removed',
  changes: false,
  picture: null,
  sections,
});
const REPORT: Report = {
  title: 'run',
  about: '',
  start: 0,
  facts: [],
  picture: null,
  charts: [],
  span: null,
  nodes: [],
  decisions: [
    decisionAt(1, SECTIONS),
    decisionAt(2, SECTIONS),
    decisionAt(3, [{ title: 'Nodes removed', rows: [{ label: 'ScaleDown', text: 'removed', subjects: ['node-1'] }] }]),
  ],
};

const PICTURE: Picture = {
  groups: [
    {
      name: 'web',
      nodes: [
        {
          name: 'node-1',
          state: 'leaving',
          when: 'before',
          note: 'removed',
          pods: [{ name: 'default/a', share: 40, when: 'before', note: 'moves' }],
        },
      ],
    },
    { name: null, nodes: [] },
  ],
  pending: [{ name: 'default/b', share: 0, when: 'both', note: '' }],
};

test.each([
  REPORT,
  { ...REPORT, picture: PICTURE, decisions: REPORT.decisions.map((one) => ({ ...one, picture: PICTURE })) },
])('a report comes out as it went in, with its pictures: %#', (report) => {
  expect(unpacked(JSON.parse(JSON.stringify(packed(report))) as ReturnType<typeof packed>)).toEqual(report);
});

test('a name that is in several decisions is there once, and so is a row', () => {
  const { names, rows } = packed(REPORT);
  expect(names).toEqual(['node-1', 'node-2']);
  expect(rows).toEqual([
    ['NotUnderutilized', 'in use', [0, 1]],
    ['ScaleDown', 'removed', [0]],
  ]);
});

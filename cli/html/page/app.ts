import { h, type ComponentChild } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { DecisionOfReport, Report } from '../report.ts';
import { Decisions } from './decisions.ts';
import { Nodes } from './nodes.ts';
import { PictureCard } from './picture.ts';
import { SeriesChart } from './series.ts';
import { pageTable } from './table.ts';

type Kind = 'all' | 'changes' | 'scale-up' | 'scale-down';

const KINDS: readonly (readonly [Kind, string])[] = [
  ['all', 'all decisions'],
  ['changes', 'decisions that change something'],
  ['scale-up', 'scale-up'],
  ['scale-down', 'scale-down'],
];

const ALL_GROUPS = '';

interface Filters {
  /** In lower case. */
  readonly text: string;
  readonly kind: Kind;
  readonly group: string;
}

/** The whole page. */
export function App({ report, note }: { readonly report: Report; readonly note: string | null }): ComponentChild {
  const [filters, setFilters] = useState<Filters>({ text: '', kind: 'all', group: ALL_GROUPS });
  const [mark, setMark] = useState<number | null>(null);
  const { nodes, decisions } = useFiltered(report, filters);
  return h(
    'main',
    null,
    h(
      'header',
      null,
      h('h1', null, report.title),
      h('p', { class: 'faint' }, report.about),
      note !== null && h('p', { class: 'note', role: 'status' }, note),
    ),
    h(
      'dl',
      { class: 'facts' },
      report.facts.map(([name, value]) => h('div', { key: name }, h('dt', null, name), h('dd', null, value))),
    ),
    (report.tables ?? []).map(({ title, columns, rows }) =>
      h('section', { class: 'card', key: title }, h('h2', null, title), pageTable(columns, rows)),
    ),
    report.picture !== null && h(PictureCard, { picture: report.picture }),
    h(
      'div',
      { class: 'charts' },
      report.charts.map((chart) => h(SeriesChart, { key: chart.title, chart, start: report.start, mark })),
    ),
    h(FilterBar, { report, filters, onChange: setFilters }),
    report.nodes.length > 0 && h(Nodes, { report, nodes, mark }),
    h(Decisions, { start: report.start, decisions, of: report.decisions.length, onMark: setMark }),
  );
}

/** The nodes and the decisions that the filters leave. */
function useFiltered(report: Report, { text, kind, group }: Filters): Pick<Report, 'nodes' | 'decisions'> {
  const searched = useMemo(() => report.decisions.map(textOf), [report]);
  const nodes = useMemo(
    () =>
      report.nodes.filter(
        (node) =>
          (group === ALL_GROUPS || node.group === group) &&
          `${node.name}\n${node.group ?? ''}\n${node.note}`.toLowerCase().includes(text),
      ),
    [report, text, group],
  );
  const decisions = useMemo(
    () =>
      report.decisions.filter(
        (decision, index) =>
          isOfKind(decision, kind) && searched[index]!.includes(text) && searched[index]!.includes(group.toLowerCase()),
      ),
    [report, text, kind, group],
  );
  return { nodes, decisions };
}

interface FilterBarProps {
  readonly report: Report;
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

function FilterBar({ report, filters, onChange }: FilterBarProps): ComponentChild {
  const groups = useMemo(() => [...new Set(report.nodes.flatMap((node) => node.group ?? []))].sort(), [report]);
  return h(
    'form',
    { class: 'filters card', onSubmit: (event: Event) => event.preventDefault() },
    h(
      'label',
      null,
      'Filter',
      h('input', {
        type: 'search',
        placeholder: 'pod, node, group or reason',
        onInput: (event: Event) =>
          onChange({ ...filters, text: (event.currentTarget as HTMLInputElement).value.trim().toLowerCase() }),
      }),
    ),
    h(Choice, {
      title: 'Decisions',
      value: filters.kind,
      choices: KINDS,
      onChange: (kind) => onChange({ ...filters, kind: kind as Kind }),
    }),
    groups.length > 1 &&
      h(Choice, {
        title: 'Node group',
        value: filters.group,
        choices: [[ALL_GROUPS, 'all node groups'], ...groups.map((name) => [name, name] as const)],
        onChange: (group) => onChange({ ...filters, group }),
      }),
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

const Choice = ({ title, value, choices, onChange }: ChoiceProps): ComponentChild =>
  h(
    'label',
    null,
    title,
    h(
      'select',
      { value, onChange: (event: Event) => onChange((event.currentTarget as HTMLSelectElement).value) },
      choices.map(([one, name]) => h('option', { key: one, value: one }, name)),
    ),
  );

function isOfKind(decision: DecisionOfReport, kind: Kind): boolean {
  if (kind === 'changes') {
    return decision.changes;
  }
  return kind === 'all' || decision.kind === kind || decision.kind === 'both';
}

/** All that a filter looks at, in lower case. */
const textOf = ({ name, message, sections }: DecisionOfReport): string =>
  [
    name ?? '',
    message,
    ...sections.flatMap(({ title, rows }) => [
      title,
      ...rows.flatMap(({ label, text, subjects }) => [label, text, ...subjects]),
    ]),
  ]
    .join('\n')
    .toLowerCase();

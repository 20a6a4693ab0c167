import { textIf } from '@outrigger/core/model/values/optional.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { DecisionOfReport, ReportRow, ReportSection } from '../report.ts';
import { BeforeAndAfter } from './picture.ts';
import { timeText } from './times.ts';

/** Decisions that are shown at first, and more at a time. */
const STEP = 100;
/** Names of a row that are shown at first. */
const NAMES = 8;
/** Only the beginning of a message with hundreds of nodes is shown: the sections contain all nodes. */
const LONGEST_MESSAGE = 400;

interface DecisionsProps {
  readonly start: number | null;
  /** The decisions that pass the filters. */
  readonly decisions: readonly DecisionOfReport[];
  readonly of: number;
  /** Marks a time in the charts. */
  readonly onMark: (at: number | null) => void;
}

/** The decisions with their reasons; each opens. */
export function Decisions({ start, decisions, of, onMark }: DecisionsProps): ComponentChild {
  const [most, setMost] = useState(STEP);
  return h(
    'section',
    { class: 'card' },
    h('h2', null, 'Decisions'),
    h('p', { class: 'faint', role: 'status' }, `${decisions.length} of ${of}`),
    decisions
      .slice(0, most)
      .map((decision) =>
        h(DecisionItem, { key: `${decision.at} ${decision.kind} ${decision.name}`, decision, start, onMark }),
      ),
    decisions.length > most &&
      h(
        'button',
        { type: 'button', onClick: () => setMost(most + STEP) },
        `Show ${Math.min(STEP, decisions.length - most)} more`,
      ),
  );
}

interface ItemProps {
  readonly decision: DecisionOfReport;
  readonly start: number | null;
  readonly onMark: (at: number | null) => void;
}

function DecisionItem({ decision, start, onMark }: ItemProps): ComponentChild {
  const [open, setOpen] = useState(false);
  const { at, name, kind, message, changes, picture, sections } = decision;
  const mark = (): void => onMark(at);
  return h(
    'details',
    {
      class: `decision ${kind}${textIf(changes, ' changes')}`,
      onToggle: (event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open),
      onMouseEnter: mark,
      onFocusIn: mark,
      onMouseLeave: () => onMark(null),
    },
    h(
      'summary',
      null,
      at !== null && h('time', null, timeText(at, start)),
      h('span', { class: 'badge' }, kind === 'both' ? 'decision' : kind),
      name !== null && h('strong', null, name),
      h('span', { class: 'message' }, clip(message, LONGEST_MESSAGE)),
    ),
    open && picture !== null && h(BeforeAndAfter, { picture }),
    open && sections.map((section) => h(SectionOfDecision, { key: section.title, section })),
  );
}

const SectionOfDecision = ({ section: { title, rows } }: { readonly section: ReportSection }): ComponentChild =>
  h(
    'div',
    { class: 'section' },
    h('h3', null, title),
    h(
      'ul',
      null,
      rows.map((row) => h(RowOfSection, { row, isCounted: COUNTED.has(title) })),
    ),
  );

/** Sections of which a row is about each of its subjects alike; a removal is about a node and its pods. */
const COUNTED: ReadonlySet<string> = new Set([TITLES.pendingPods, TITLES.kept]);

interface RowProps {
  readonly row: ReportRow;
  readonly isCounted: boolean;
}

function RowOfSection({ row: { label, text, subjects }, isCounted }: RowProps): ComponentChild {
  const [all, setAll] = useState(false);
  const shown = all ? subjects : subjects.slice(0, NAMES);
  return h(
    'li',
    null,
    h('span', { class: 'badge' }, label),
    isCounted && subjects.length > 1 && h('span', { class: 'count' }, `${subjects.length} ×`),
    h('span', { class: 'text' }, text),
    shown.length > 0 &&
      h(
        'div',
        { class: 'names' },
        shown.map((name) => h('code', null, name)),
      ),
    subjects.length > shown.length &&
      h('button', { type: 'button', onClick: () => setAll(true) }, `and ${subjects.length - shown.length} more`),
  );
}

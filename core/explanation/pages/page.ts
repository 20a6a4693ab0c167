import { firstNames } from '../../model/values/clip.ts';

/** The kinds of objects that can be explained. */
export const SUBJECTS = ['pod', 'node', 'group'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Names of objects that have pages of their own, and the text after them. */
export interface NamedObjects {
  readonly kind: Subject;
  readonly names: readonly string[];
  readonly after: string;
}

export type PageText = string | NamedObjects;

/** A fact; no line where the value is `null` or `false`. */
export type FactRow = readonly [name: string, value: PageText | null | false];

/** A text about objects. */
export interface PageRow {
  /** Names of the objects; empty for a text that names them itself. */
  readonly names: readonly string[];
  /** Kind of the objects; `null` for objects that have no page of their own. */
  readonly kind: Subject | null;
  /** Node groups of nodes, joined by commas; `null` for other objects. */
  readonly groups: string | null;
  readonly lines: readonly string[];
  /** The meaning of the text with advice, or the objects of the text. */
  readonly details: PageText | null | false;
}

/** Rows under a title. */
export interface TitledRows {
  readonly title: string;
  readonly rows: readonly PageRow[];
}

/** A part of a page: facts, rows under a title, or sentences. Parts without content are not shown. */
export type PagePart =
  | { readonly facts: readonly FactRow[] }
  | TitledRows
  | { readonly sentences: string | null | false };

/** An explanation of an object: the terminal and the dashboard lay the same parts out. */
export type SubjectPage = readonly PagePart[];

/** Names of a list that are shown. */
export const MOST_NAMES = 10;

export const pageText = (text: PageText): string =>
  typeof text === 'string' ? text : `${firstNames(text.names, MOST_NAMES)}${text.after}`;

/** Names of objects; `null` where there are none. */
export const namedObjects = (kind: Subject, names: readonly string[], after = ''): NamedObjects | null =>
  names.length === 0 ? null : { kind, names, after };

export const rowOf = (line: string, row: Partial<PageRow> = {}): PageRow => ({
  names: [],
  kind: null,
  groups: null,
  lines: [line],
  details: null,
  ...row,
});

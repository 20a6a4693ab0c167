import type { Picture } from '@outrigger/providers/html/picture/picture.ts';

/** A table with a title. The first cell of each row is its name. */
export interface TableOfReport {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly [name: string, ...cells: readonly string[]])[];
}

/**
 * The content of a page. The report is data for a script in a browser: JSON, with every sentence written
 * (`core/words`), so that the page only arranges and filters.
 */
export interface Report {
  readonly title: string;
  /** The subject of the report, in a sentence. */
  readonly about: string;
  /** Milliseconds since 1970 of second 0; `null`: times are shown as they are, from the start. */
  readonly start: number | null;
  /** Figures of the whole, with their names. */
  readonly facts: readonly (readonly [string, string])[];
  /** Tables of the state at the last evaluation, on a page that is live. */
  readonly tables?: readonly TableOfReport[];
  /** The nodes before and after the decision that the page is about, or the most telling one; `null`: none. */
  readonly picture: Picture | null;
  readonly charts: readonly ChartOfReport[];
  /** Whether the bars of nodes are shown: from when to when; `null` where nothing is known over time. */
  readonly span: Stretch | null;
  readonly nodes: readonly NodeOfReport[];
  /** In the order of time; on a page that is live the last one first. */
  readonly decisions: readonly DecisionOfReport[];
}

/** Seconds from the start. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface ChartOfReport {
  readonly title: string;
  /** The chart in a sentence, for screen readers. */
  readonly summary: string;
  /** `steps`: lines of values that last until the next one; `stacked`: such lines upon each other; `bars`: beside each other. */
  readonly kind: 'steps' | 'stacked' | 'bars';
  /** Unit of the values: written before or after them. */
  readonly unit: 'count' | 'usd per hour' | 'size';
  /** Names of the places on the x-axis; `null`: it is time, in seconds from the start. */
  readonly categories: readonly string[] | null;
  readonly series: readonly SeriesOfReport[];
}

export interface SeriesOfReport {
  readonly name: string;
  readonly tone: Tone;
  /** Each point's position, in seconds or as the number of the category, and its value. */
  readonly points: readonly (readonly [number, number])[];
}

/** The meaning of a color. */
export type Tone = 'booting' | 'used' | 'idle' | 'unneeded' | 'leaving' | 'waiting' | 'cost' | 'bound' | 'other';

export const NODE_STATES = ['booting', 'used', 'idle', 'unneeded', 'leaving'] as const satisfies readonly Tone[];
export type NodeState = (typeof NODE_STATES)[number];

/** How the states are called in legends. */
export const STATE_NAMES: Readonly<Record<NodeState, string>> = {
  booting: 'booting',
  used: 'in use',
  idle: 'idle',
  unneeded: 'unneeded',
  leaving: 'being removed',
};

export interface NodeOfReport {
  /** Name of the node; name of the instance where it never was a node. */
  readonly name: string;
  /** `null`: it is in no node group. */
  readonly group: string | null;
  /** Phases one after the other, where `span` is given. */
  readonly phases: readonly NodePhase[];
  /** The outcome of the node, or why it stays. */
  readonly note: string;
}

export interface NodePhase extends Stretch {
  readonly state: NodeState;
}

export interface DecisionOfReport {
  /** Seconds from the start; `null` where time plays no role. */
  readonly at: number | null;
  /** Name of the decision's scenario, where there are several. */
  readonly name: string | null;
  readonly kind: 'scale-up' | 'scale-down' | 'both';
  /** All of it in a sentence. */
  readonly message: string;
  readonly changes: boolean;
  /** `null`: the decision changes nothing, or the page would become too large. */
  readonly picture: Picture | null;
  readonly sections: readonly ReportSection[];
}

export interface ReportSection {
  readonly title: string;
  readonly rows: readonly ReportRow[];
}

/** Something that holds for one or more pods, nodes or node groups. */
export interface ReportRow {
  /** A name of a reason, an outcome, or a group: as in the decision as a document. */
  readonly label: string;
  readonly text: string;
  /** Pods, nodes, groups. */
  readonly subjects: readonly string[];
}

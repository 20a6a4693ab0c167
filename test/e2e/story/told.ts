/** Facts told of a pod, from any source. */
export interface PodTold {
  readonly outcome: 'Triggered' | 'Unschedulable';
  /** `GROUP 0 → 2`: the group that will hold it, and its sizes. */
  readonly growth: string | null;
  /** `2 Insufficient cpu`: each reason with the number of groups, in the order in which it is told. */
  readonly reasons: readonly string[];
  /** Details with numbers, in one text: requirements of the pod that new nodes do not meet. */
  readonly details: string;
}

/** Facts told of a node group. */
export interface GroupTold {
  /** With what was decided: `0 → 2`. */
  readonly size: string;
  readonly min: number;
  readonly max: number;
  readonly ready: number;
  readonly trouble: string;
}

export type Told<T> = Readonly<Record<string, T>>;

/** `2 groups: Insufficient cpu`, or with the name of the one group, as `2 Insufficient cpu`. */
export function countedReason(text: string): string {
  const [, who = '', reason = ''] = /^(\d+ groups|\S+): (.*)$/.exec(text) ?? [];
  return `${who.endsWith(' groups') ? who.slice(0, -' groups'.length) : '1'} ${reason}`;
}

/** Words of a table of pods by their outcome: `triggered scale-up of GROUP: POD, POD`. */
export function outcomeTold(text: string, groups: Told<GroupTold>) {
  const [, short = '', group = null, names = ''] = /^(.*?scale-up)(?: of (\S+))?(?:: (.*))?$/.exec(text) ?? [];
  return {
    outcome: OUTCOMES[short]!,
    growth: group === null ? null : `${group} ${groups[group]!.size}`,
    pods: names.split(', '),
  };
}

const OUTCOMES: Told<PodTold['outcome']> = {
  'triggered scale-up': 'Triggered',
  "didn't trigger scale-up": 'Unschedulable',
};

/** The sentence of an event, which begins with the pod. */
export function messageTold(message: string): PodTold {
  const [, short = '', rest = ''] = /^pod (.*?): (.*)$/.exec(message) ?? [];
  const outcome = OUTCOMES[short]!;
  const [reasons = '', ...details] = rest.split(/(?<!Also)\. (?!Also )/);
  return outcome === 'Triggered'
    ? {
        outcome,
        growth: rest.replace(/^\[\{(\S+) (\d+)->(\d+) \(max: \d+\)\}\]$/, '$1 $2 → $3'),
        reasons: [],
        details: '',
      }
    : { outcome, growth: null, reasons: reasons.split(/, (?=\d+ )/), details: details.join(' ') };
}

/** `GROUP, from 0 to 2`. */
export const growthTold = (text: string): string => text.replace(/, from (\d+) to (\d+)$/, ' $1 → $2');

/** Lines of reasons, and the lines after them that are these details. */
export function detailsApart(
  lines: readonly string[],
  details: string,
): readonly [readonly string[], readonly string[]] {
  const found = lines.findIndex((_, index) => lines.slice(index).join(' ') === details);
  const first = found < 0 ? lines.length : found;
  return [lines.slice(0, first), lines.slice(first)];
}

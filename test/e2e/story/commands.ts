import type { PodRejection } from '../../../core/model/decision.ts';
import { rejectionLines } from '../../../core/words/pod-reasons.ts';
import {
  countedReason,
  detailsApart,
  type GroupTold,
  growthTold,
  outcomeTold,
  type PodTold,
  type Told,
} from './told.ts';

// Takes apart the output of `outrigger status` and `outrigger explain`.

interface Sizes {
  readonly from: number;
  readonly to: number;
}

/** Fields read here of `outrigger explain group -o json`. */
export interface GroupJson {
  readonly group: string;
  readonly min: number;
  readonly max: number;
  readonly target: number;
  readonly increase: Sizes | null;
  readonly nodes: { readonly ready: number };
  readonly skipped: { readonly why: string } | null;
}

/** Fields read here of `outrigger status -o json`. */
export interface StatusJson {
  readonly groups: readonly GroupJson[];
  readonly pods: readonly {
    readonly outcome: PodTold['outcome'];
    readonly group: string | null;
    readonly reasons: readonly string[];
    readonly details: readonly string[];
    readonly pods: readonly string[];
  }[];
  readonly unneeded: readonly { readonly node: string; readonly why: string }[];
}

/** Fields read here of `outrigger explain pod -o json`. */
export interface PodJson {
  readonly scaleUp: {
    readonly outcome: PodTold['outcome'];
    readonly meaning: string;
    readonly group: string | null;
    readonly increase: Sizes | null;
    readonly reasons: readonly { readonly reason: string; readonly groups: readonly string[] }[];
    readonly lacking: PodRejection['groups'];
    readonly nearest: PodRejection['nearest'] | null;
  } | null;
  readonly keeps: readonly { readonly node: string; readonly why: string; readonly advice: string }[];
}

/** Fields read here of `outrigger explain node -o json`. */
export interface NodeJson {
  readonly group: string;
  readonly unremovable: {
    readonly reason: string;
    readonly why: string;
    readonly meaning: string;
    readonly advice: string | null;
    readonly podReason: string | null;
  };
}

/** Output of a command for people. */
export interface Printed {
  /** Names and values at the top. */
  readonly facts: Told<string>;
  /** The lines under each title, without their indent. */
  readonly titled: Told<readonly string[]>;
  /** Whole sentences. */
  readonly prose: readonly string[];
}

export function readPrinted(text: string): Printed {
  const parts = text
    .trimEnd()
    .split('\n\n')
    .map((part) => part.split('\n'));
  const isTitled = ([, ...lines]: readonly string[]): boolean =>
    lines.length > 0 && lines.every((line) => line.startsWith('  '));
  const isFacts = (lines: readonly string[]): boolean =>
    lines.every((line) => /^(?:[A-Z]\S*(?: \S+)*)? {2,}\S/.test(line));
  return {
    facts: Object.fromEntries(
      parts.filter(isFacts).flatMap((lines) =>
        withoutBreaks(lines).map((line) => {
          const [name = '', ...value] = line.split(/ {2,}/);
          return [name, value.join(' ')];
        }),
      ),
    ),
    titled: Object.fromEntries(
      parts
        .filter((part) => isTitled(part) && !isFacts(part))
        .map(([title = '', ...lines]) => [title, lines.map((line) => line.slice(2))]),
    ),
    prose: parts.filter((part) => !isTitled(part) && !isFacts(part)).map(joined),
  };
}

/** Text without room in a line goes on in the next, under it. */
const withoutBreaks = (lines: readonly string[]): readonly string[] =>
  lines.join('\n').replaceAll(/\n +/g, ' ').split('\n');

/** Lines that were wrapped, as one. */
export const joined = (lines: readonly string[]): string => lines.join(' ').replaceAll(/\s+/g, ' ').trim();

export const groupsOfJson = ({ groups }: Pick<StatusJson, 'groups'>): Told<GroupTold> =>
  Object.fromEntries(
    groups.map(({ group, target, increase, min, max, nodes, skipped }) => [
      group,
      {
        size: increase === null ? String(target) : `${increase.from} → ${increase.to}`,
        min,
        max,
        ready: nodes.ready,
        trouble: skipped?.why ?? '',
      },
    ]),
  );

export function groupsOfText(printed: Printed): Told<GroupTold> {
  const [, ...lines] = sectionOfText(printed, 'Node groups');
  const rows = withoutBreaks(lines);
  return Object.fromEntries(
    rows.map((row) => {
      const [, name, size, min, max, ready, trouble] = /^(\S+) +(\d+(?: → \d+)?) +(\d+) +(\d+) +(\d+) +\d+ *(.*)$/.exec(
        row,
      )!;
      return [name!, { size: size!, min: Number(min), max: Number(max), ready: Number(ready), trouble: trouble! }];
    }),
  );
}

export const podsOfJson = (status: StatusJson): Told<PodTold> =>
  Object.fromEntries(
    status.pods.flatMap(({ outcome, group, reasons, details, pods }) =>
      pods.map((pod) => [
        pod,
        {
          outcome,
          growth: group === null ? null : `${group} ${groupsOfJson(status)[group]!.size}`,
          reasons: reasons.map(countedReason),
          details: details.join(' '),
        },
      ]),
    ),
  );

/** @param expected tells which lines are details: they are wrapped as the reasons are */
export function podsOfText(printed: Printed, expected: Told<PodTold>): Told<PodTold> {
  const told: Record<string, PodTold> = {};
  let last: readonly string[] = [];
  for (const line of sectionOfText(printed, 'Pending pods')) {
    const first = /^ *\d+ {2}(.*)$/.exec(line)?.[1];
    if (first === undefined) {
      for (const pod of last) {
        told[pod] = { ...told[pod]!, reasons: [...told[pod]!.reasons, line.trim()] };
      }
    } else {
      const { pods, ...rest } = outcomeTold(first, groupsOfText(printed));
      last = pods;
      for (const pod of pods) {
        told[pod] = { ...rest, reasons: [], details: '' };
      }
    }
  }
  return Object.fromEntries(
    Object.entries(told).map(([pod, one]) => {
      const [reasons, details] = detailsApart(one.reasons, expected[pod]!.details);
      return [pod, { ...one, reasons: reasons.map(countedReason), details: joined(details) }];
    }),
  );
}

/** Reads `-o json`: the facts told, and the sentence beside the outcome. */
export function podOfJson({ scaleUp }: PodJson): PodTold & { readonly meaning: string } {
  const { outcome, meaning, group, increase, reasons, lacking, nearest } = scaleUp!;
  return {
    outcome,
    meaning,
    growth: group === null ? null : `${group} ${increase!.from} → ${increase!.to}`,
    reasons: reasons.map(({ reason, groups }) => `${groups.length} ${reason}`),
    details: nearest === null ? '' : rejectionLines({ groups: lacking, nearest }).join(' '),
  };
}

/** Under a reason of several groups are their names. */
export function podOfText({ facts, titled, prose }: Printed): PodTold & { readonly meaning: string } {
  const [, outcome = '', meaning = ''] = /^(\w+): (.*)$/.exec(prose[0]!)!;
  return {
    outcome: outcome as PodTold['outcome'],
    meaning,
    growth: facts['Node group'] === undefined ? null : growthTold(facts['Node group']),
    reasons: (titled['Reasons'] ?? []).filter((line) => line.includes(': ')).map(countedReason),
    details: joined([
      ...withColon(titled['Unmet requirements'] ?? []),
      ...prose.filter((line) => line.startsWith('Nearest: ')),
    ]),
  };
}

/** Rows of two columns, as lines with a colon; a row that was wrapped goes on in the next line. */
const withColon = (rows: readonly string[]): readonly string[] =>
  rows.map((row) => row.replace(/^(\S(?: ?\S)*) {2,}/, '$1: '));

/** The lines of a section by the beginning of its title. */
export const sectionOfText = ({ titled }: Printed, title: string): readonly string[] =>
  Object.entries(titled).find(([name]) => name.startsWith(`${title} (`))?.[1] ?? [];

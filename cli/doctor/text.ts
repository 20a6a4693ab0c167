import { printable, printableLine } from '@outrigger/core/model/values/printable.ts';
import type { Colors, Style } from '../terminal/text.ts';
import { wrap } from '../terminal/wrap.ts';
import type { CheckResult } from './checks/checks.ts';
import { regionOf, type Status } from './checks/check.ts';
import type { Facts } from './facts/facts.ts';

interface Group {
  readonly status: Status;
  readonly title: string;
  readonly color: (colors: Colors) => (text: string) => string;
}

/** The most urgent findings come first. */
const GROUPS: readonly Group[] = [
  { status: 'fail', title: 'Fail', color: (colors) => colors.red },
  { status: 'warn', title: 'Warn', color: (colors) => colors.yellow },
  { status: 'unknown', title: 'Unknown', color: (colors) => colors.magenta },
  { status: 'ok', title: 'OK', color: (colors) => colors.green },
];

const GAP = '  ';

/**
 * The findings for people, by status, failures and warnings with the reason and the remedy. Commands and settings are
 * not broken into lines.
 */
export function tellFindings({ settings, region }: Facts, checked: readonly CheckResult[], style: Style): string {
  const title = Math.max(...checked.map(({ check }) => check.title.length));
  const groups = GROUPS.map((group) => ({
    group,
    members: checked.filter(({ finding }) => finding.status === group.status),
  })).filter(({ members }) => members.length > 0);
  return [
    `Cluster ${settings.cluster} in ${regionOf({ region })}, mode ${settings.mode}`,
    ...groups.flatMap(({ group, members }) => [
      '',
      style.colors.bold(group.color(style.colors)(`${group.title} (${members.length})`)),
      ...(group.status === 'unknown' ? together(members) : members).flatMap((one) => tellOne(one, title, style)),
    ]),
    '',
    `${groups.map(({ group, members }) => `${members.length} ${group.status}`).join(', ')}.`,
    '',
  ].join('\n');
}

/** Checks that could not be made for the same reason are one line. */
function together(members: readonly CheckResult[]): readonly CheckResult[] {
  const alike = Map.groupBy(members, ({ finding }) => JSON.stringify([finding.found, finding.remedy]));
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) {
      return first ?? [];
    }
    const names = [first, ...others].map(({ check }) => check.title).join(', ');
    const { check, finding } = first;
    return {
      check: { ...check, title: `${others.length + 1} checks` },
      finding: { ...finding, found: `${finding.found} (${names})` },
    };
  });
}

function tellOne(
  { check, finding: { status, found, remedy } }: CheckResult,
  title: number,
  { colors, width }: Style,
): readonly string[] {
  const indent = GAP.length + title + GAP.length;
  const left = Math.max(30, width - indent);
  const first = wrap(printableLine(found), left);
  const rest: string[] = [];
  if (status === 'warn' || status === 'fail') {
    rest.push(...wrap(`Why: ${check.why}`, left).map(colors.dim));
  }
  if (remedy !== null) {
    rest.push(...wrap(`Remedy: ${remedy.text}`, left));
  }
  return [
    `${GAP}${check.title.padEnd(title)}${GAP}${first[0] ?? ''}`,
    ...[...first.slice(1), ...rest].map((line) => `${' '.repeat(indent)}${line}`),
    ...(remedy?.lines ?? []).map((line) => `${' '.repeat(indent)}${GAP}${colors.cyan(printable(line))}`),
  ];
}

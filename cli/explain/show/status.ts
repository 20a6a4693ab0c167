import { firstNames } from '../../../core/model/values/clip.ts';
import {
  drainLines,
  LAST_CHANGE,
  nodesText,
  outcomeText,
  partText,
  sizeText,
  troubleText,
  unneededText,
} from '../../../core/explanation/sentences.ts';
import type { ClusterStatus } from '../../../core/explanation/status.ts';
import { MODE_WORDS } from '../../../core/words/modes.ts';
import { disruptionText } from '../../../core/words/disruption.ts';
import { noticeText, shortageText } from '../../../core/words/notices.ts';
import type { Style } from '../../terminal/text.ts';
import { facts, listed, page, prose, type PageSection, withAdvice } from './page.ts';

/** A cluster at a glance: what needs correction first, then groups, pods, unneeded nodes and drains. */
export function tellStatus(status: ClusterStatus, style: Style): string {
  const { corrections, unneeded, drains, omitted, at } = status;
  return page([
    head(status, style),
    listed(
      `Needs correction (${corrections.length})`,
      corrections.map(({ about, what, advice }) => [about ?? 'cluster', withAdvice(what, advice)]),
      ['left'],
      style,
      'red',
    ),
    listed(
      `Paused (${status.pauses.length})`,
      status.pauses.map(({ text }) => [text]),
      [],
      style,
      'yellow',
    ),
    groups(status, style),
    pods(status, style),
    listed(
      `Unneeded nodes (${unneeded.length})`,
      unneeded.map((one) => [one.node, one.group ?? '', unneededText(one, at)]),
      ['left', 'left'],
      style,
    ),
    listed(
      `Drains (${drains.length})`,
      drains.map((drain) => [drain.node, drain.group, drainLines(drain, at).join('\n')]),
      ['left', 'left'],
      style,
    ),
    listed(
      `Replacements (${status.disruptions.length})`,
      status.disruptions.map((one) => [one.nodes.join(', '), one.groups.join(', '), disruptionText(one)]),
      ['left', 'left'],
      style,
    ),
    listed(
      `Headroom (${status.headroom.length})`,
      status.headroom.map((one) => [one.group ?? one.name, withAdvice(one.text, one.advice)]),
      ['left'],
      style,
      status.headroom.some(({ missing }) => missing > 0) ? 'yellow' : 'bold',
    ),
    listed(
      `Disruption budgets (${status.budgets.length})`,
      status.budgets.map(({ group, text }) => [group ?? 'cluster', text]),
      ['left'],
      style,
    ),
    listed(
      `Interruption notices (${status.notices.length})`,
      status.notices.map((notice) => [notice.node ?? notice.instance, notice.group, noticeText(notice)]),
      ['left', 'left'],
      style,
    ),
    listed(
      `Capacity shortages (${status.shortages.length})`,
      status.shortages.map((one) => [shortageText(one)]),
      [],
      style,
    ),
    omitted.length === 0 ? [] : prose(`Too large to be stored whole; left out: ${omitted.join('; ')}.`, style),
  ]);
}

function head({ cluster, mode, at, scaleUp, scaleDown, healthy, nodes }: ClusterStatus, style: Style): PageSection {
  return facts(
    [
      ['Cluster', cluster],
      ['Mode', `${mode}: ${MODE_WORDS[mode].short}`],
      ['Scale-up', partText(scaleUp, at, LAST_CHANGE.scaleUp)],
      ['Scale-down', partText(scaleDown, at, LAST_CHANGE.scaleDown)],
      ['Nodes', nodesText({ nodes, healthy })],
    ],
    style,
  );
}

function groups({ groups: all, at }: ClusterStatus, style: Style): PageSection {
  const heading = ['Name', 'Size', 'Min', 'Max', 'Ready', 'Upcoming', ''].map((title) => style.colors.dim(title));
  const rows = all.map((group) => [
    group.group,
    sizeText(group),
    group.min === null ? '?' : String(group.min),
    group.max === null ? '?' : String(group.max),
    String(group.nodes.ready),
    String(group.upcoming),
    troubleText(group, at),
  ]);
  return listed(
    `Node groups (${all.length})`,
    rows.length === 0 ? [] : [heading, ...rows],
    ['left', 'right', 'right', 'right', 'right', 'right'],
    style,
  );
}

function pods({ pods: all }: ClusterStatus, style: Style): PageSection {
  const waiting = all.flatMap(({ pods: same }) => same).length;
  return listed(
    `Pods without a node (${waiting})`,
    all.map(({ outcome, group, reasons, details, pods: same }) => [
      String(same.length),
      [`${outcomeText({ outcome, group })}: ${firstNames(same)}`, ...reasons, ...details].join('\n'),
    ]),
    ['right'],
    style,
    all.some(({ outcome }) => outcome === 'Unschedulable') ? 'yellow' : 'bold',
  );
}

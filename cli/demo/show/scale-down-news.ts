import { mapOptional, textIf, presentItems } from '@outrigger/core/model/values/optional.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type { Removal } from '@outrigger/core/model/decision.ts';
import { longReason, shortNode } from './node-words.ts';
import type { Recording, ScaleDownEntry } from '@outrigger/simulation/recording/recording.ts';
import type { Stage } from './stage.ts';
import { type News, news } from './news.ts';
import { counted, pluralOf } from '@outrigger/core/model/values/counted.ts';
import { columnTable } from '../../terminal/table.ts';
import { length, NARROW, type Style } from '../../terminal/text.ts';

const MOST_DRAINS = 6;

/** The news in scale-down decisions: nodes newly unneeded or needed again, nodes that stay, nodes to be removed. */
export function createScaleDownNews({ unneededTime }: Pick<Recording, 'unneededTime'>, stage: Stage) {
  let before: ReadonlySet<string> = new Set();
  const kept = new Map<string, string>();

  const unneededNews = ({ unneeded, removals }: ScaleDownEntry): readonly News[] => {
    const now = new Set(unneeded);
    const going = new Set<string>(removals.map(({ node }) => node));
    const fresh = unneeded.filter((node) => !before.has(node) && !going.has(node));
    const needed = [...before].filter((node) => !now.has(node) && stage.node(node)?.leaving === false);
    const again = `${counted(needed.length, 'node')} ${pluralOf('is', needed.length, 'are')} needed again`;
    before = now;
    if (fresh.length > 0) {
      const texts = presentItems([nodesText(fresh), needed.length > 0 && again]);
      return [news('unneeded', 'yellow', `${texts.join('; ')}. ${whenText}`)];
    }
    return needed.length === 0 ? [] : [news('needed', 'green', again)];
  };

  const nodesText = (nodes: readonly string[]): string => {
    const empty = nodes.filter((node) => stage.node(node)?.pods.size === 0).length;
    const full = nodes.length - empty;
    return among(nodes.length, [
      [empty, 'without pods'],
      [full, 'whose pods fit elsewhere'],
    ]);
  };

  const whenText =
    mapOptional(unneededTime, (time) => `Removal if unneeded for ${length(time)}`) ??
    'Removal after the unneeded time of the node group';

  const keptNews = ({ staying }: ScaleDownEntry): readonly News[] =>
    staying.flatMap((why) => {
      const blocked = why.reason === 'BlockedByPod' || why.reason === 'ScaleDownDisabledAnnotation';
      const shown = `${why.reason} ${why.pod ?? ''}`;
      if (!blocked || kept.get(why.node) === shown) {
        return [];
      }
      kept.set(why.node, shown);
      return [news('stays', 'yellow', `${shortNode(why.node)}${ofGroup(why.node)}, because of ${longReason(why)}`)];
    });

  const ofGroup = (node: string): string => mapOptional(stage.node(node), ({ group }) => ` of ${group}`) ?? '';

  return (entry: ScaleDownEntry, style: Style): readonly News[] => [
    ...unneededNews(entry),
    ...keptNews(entry),
    ...removalNews(entry, style),
  ];
}

/** `3 nodes: 2 of one sort, 1 of another`, or `3 nodes of one sort`. */
function among(count: number, sorts: readonly (readonly [count: number, sort: string])[]): string {
  const there = sorts.filter(([of]) => of > 0);
  const nodes = counted(count, 'node');
  if (there.length === 1) {
    return `${nodes} ${firstItem(there)[1]}`;
  }
  return `${nodes}: ${there.map(([of, sort]) => `${of} ${sort}`).join(', ')}`;
}

function removalNews({ removals }: ScaleDownEntry, style: Style): readonly News[] {
  if (removals.length === 0) {
    return [];
  }
  const drains = removals.filter(({ kind }) => kind === 'drain');
  const pods = drains.reduce((sum, removal) => sum + removal.pods.length, 0);
  const nodes = among(removals.length, [
    [removals.length - drains.length, 'without pods'],
    [drains.length, `after evicting ${counted(pods, 'pod')}`],
  ]);
  return [news('decide', 'magenta', `Remove ${nodes}`, drainLines(drains, style))];
}

/** The nodes to be drained, and where their pods fit. */
function drainLines(drains: readonly Removal[], { colors, width }: Style): readonly string[] {
  const rows = drains
    .slice(0, MOST_DRAINS)
    .map(({ node, pods, destinations }) => [
      shortNode(node),
      counted(pods.length, 'pod'),
      textIf(width >= NARROW, `room on ${destinations.map(destinationText).join(', ')}`),
    ]);
  const more = drains.length - rows.length;
  return presentItems([
    ...columnTable(
      rows.map((row) => row.map((cell) => colors.dim(cell))),
      ['left', 'right'],
    ),
    more > 0 && colors.dim(`and ${counted(more, 'node')} more`),
  ]);
}

const destinationText = ({ node, pods }: Removal['destinations'][number]): string =>
  `${shortNode(node)}${textIf(pods > 1, ` (${pods})`)}`;

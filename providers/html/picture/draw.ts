import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import {
  isShown,
  type Picture,
  type PictureGroup,
  type PictureNode,
  type PicturePod,
  type PictureState,
  type Side,
} from './picture.ts';

/** An element of a drawing: of SVG and HTML, for a page of a script and for a page of text alike. */
export interface Element {
  readonly tag: 'div' | 'p' | 'svg' | 'g' | 'rect' | 'path' | 'title';
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Element | string)[];
}

const element = (
  tag: Element['tag'],
  attributes: Element['attributes'],
  ...children: Element['children']
): Element => ({ tag, attributes, children });

/** A box of a node, in pixels. */
interface Box {
  readonly width: number;
  readonly height: number;
  /** Whether each pod is drawn; otherwise one block for all of them. */
  readonly pods: boolean;
}

/** The boxes by the number of nodes, so that 2,000 of them fit a screen. */
const BOXES: readonly (readonly [most: number, box: Box])[] = [
  [60, { width: 40, height: 60, pods: true }],
  [400, { width: 20, height: 30, pods: true }],
  [Infinity, { width: 9, height: 13, pods: false }],
];
const PENDING: Box = { width: 9, height: 9, pods: false };
/** Pending pods that are drawn. */
const MOST_PENDING = 500;

const COLORS: Readonly<Record<PictureState, string>> = {
  used: 'used',
  idle: 'idle',
  unneeded: 'unneeded',
  leaving: 'leaving',
  booting: 'booting',
  unfilled: 'idle',
};

/**
 * Draws one side of a decision: a box for each node, as full as its pods make it, under the name of its group. New nodes have a
 * dashed border, removed ones a cross; hovering shows names and reasons. Colors are the custom properties `--picture-*`, which the page defines.
 */
export function draw(picture: Picture, side: Side): Element {
  const nodes = picture.groups.flatMap((group) => group.nodes);
  const [, box] = BOXES.find(([most]) => nodes.length <= most) ?? firstItem(BOXES);
  const pending = picture.pending.filter((pod) => isShown(pod, side));
  const shown = nodes.filter((node) => isShown(node, side)).length;
  return element(
    'div',
    {
      class: 'picture',
      role: 'img',
      'aria-label': `${counted(shown, 'node')}, ${counted(pending.length, 'pending pod')}`,
    },
    ...picture.groups.flatMap((group) => drawGroup(group, side, box)),
    ...drawPending(pending),
  );
}

/** The sides to draw, with their titles: a decision that changes nothing has one. */
export function sidesOf({ groups, pending }: Picture): readonly (readonly [Side, string])[] {
  const all = [...groups.flatMap(({ nodes }) => [...nodes, ...nodes.flatMap(({ pods }) => pods)]), ...pending];
  if (all.every(({ when }) => when === 'both')) {
    return [['before', 'Now']];
  }
  return [
    ['before', 'Before'],
    ['after', 'After'],
  ];
}

/** The difference that a decision makes, in a sentence. */
export function summaryOf({ groups, pending }: Picture): string {
  const nodes = groups.flatMap((group) => group.nodes);
  const count = (when: 'before' | 'after'): number => nodes.filter((node) => node.when === when).length;
  const waiting = pending.length === 0 ? '' : `; ${counted(pending.length, 'pending pod')}`;
  return `${counted(nodes.length - count('after'), 'node')}, ${count('after')} added, ${count('before')} removed${waiting}.`;
}

function drawGroup({ name, nodes, undrawn = 0 }: PictureGroup, side: Side, box: Box): readonly Element[] {
  const shown = nodes.filter((node) => isShown(node, side));
  const count = undrawn === 0 ? shown.length : `${shown.length} of ${shown.length + undrawn}`;
  return drawBoxes(
    `${name ?? 'in no node group'} (${count})`,
    shown.map((node) => drawNode(node, side, box)),
  );
}

function drawPending(pods: readonly PicturePod[]): readonly Element[] {
  const { width, height } = PENDING;
  const place = { x: 0, y: 0, width, height, fill: color('waiting') };
  return drawBoxes(
    `pending pods (${pods.length})`,
    pods.slice(0, MOST_PENDING).map((pod) => svg(PENDING, rect(place, titleOf(pod.name, pod.note)))),
  );
}

/** Boxes under a title; nothing without boxes. */
function drawBoxes(title: string, boxes: readonly Element[]): readonly Element[] {
  if (boxes.length === 0) {
    return [];
  }
  return [element('p', { class: 'picture-group' }, title), element('div', { class: 'picture-boxes' }, ...boxes)];
}

const color = (name: string): string => `var(--picture-${name})`;

const svg = ({ width, height }: Box, ...children: readonly Element[]): Element =>
  element('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, ...children);

const titleOf = (...lines: readonly string[]): Element =>
  element('title', {}, lines.filter((line) => line !== '').join('\n'));

const rect = (attributes: Element['attributes'], ...children: readonly Element[]): Element =>
  element('rect', attributes, ...children);

function drawNode({ name, state, when, pods, note }: PictureNode, side: Side, box: Box): Element {
  const { width, height } = box;
  const shown = pods.filter((pod) => isShown(pod, side));
  const used = shown.reduce((sum, { share }) => sum + share, 0);
  const cross = element('path', {
    d: `M1 1L${width - 1} ${height - 1}M${width - 1} 1L1 ${height - 1}`,
    stroke: color('leaving'),
  });
  const title = [
    name,
    state === 'unfilled' ? '' : `${used}% requested by ${counted(shown.length, 'pod')}`,
    note,
    // Small boxes have no blocks to point at.
    ...(box.pods ? [] : shown.slice(0, 10).map((pod) => pod.name)),
  ];
  return svg(
    box,
    element(
      'g',
      {},
      titleOf(...title),
      rect({
        x: 0.5,
        y: 0.5,
        width: width - 1,
        height: height - 1,
        fill: color('empty'),
        stroke: color(COLORS[state]),
        'stroke-dasharray': when === 'after' ? '3 2' : 'none',
      }),
      ...(box.pods ? drawPods(shown, state, box) : [drawBlock(Math.min(100, used), state, box)]),
      ...(when === 'before' ? [cross] : []),
    ),
  );
}

/** A single block for all pods of a node. @param full percent of the node */
function drawBlock(full: number, state: PictureState, { width, height }: Box): Element {
  const high = ((height - 2) * full) / 100;
  return rect({ x: 1, y: height - 1 - high, width: width - 2, height: high, fill: color(COLORS[state]) });
}

/** The pods of a node from the bottom up, each as high as its share; requests above the whole node are squeezed. */
function drawPods(pods: readonly PicturePod[], state: PictureState, { width, height }: Box): readonly Element[] {
  const inside = height - 2;
  const scale =
    inside /
    Math.max(
      100,
      pods.reduce((sum, { share }) => sum + share, 0),
    );
  let y = height - 1;
  return pods.flatMap(({ name, share, when, note }) => {
    const high = share * scale;
    y -= high;
    if (high < 0.5) {
      return [];
    }
    return rect(
      {
        x: 1.5,
        y: Number((y + 0.5).toFixed(2)),
        width: width - 3,
        height: Number(Math.max(0.5, high - 0.7).toFixed(2)),
        fill: color(when === 'both' ? COLORS[state] : 'moving'),
      },
      titleOf(name, `${share}% of the node`, note),
    );
  });
}

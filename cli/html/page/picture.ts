import { h, type ComponentChild } from 'preact';
import { draw, type Element, sidesOf, summaryOf } from '@outrigger/providers/html/picture/draw.ts';
import type { Picture } from '@outrigger/providers/html/picture/picture.ts';

/** The nodes of a cluster before and after a decision, side by side where there is room. */
export const BeforeAndAfter = ({ picture }: { readonly picture: Picture }): ComponentChild =>
  h(
    'div',
    { class: 'before-after' },
    sidesOf(picture).map(([side, title]) =>
      h('div', { key: side }, h('h3', null, title), toVirtual(draw(picture, side))),
    ),
  );

/** The picture that a page is about. */
export const PictureCard = ({ picture }: { readonly picture: Picture }): ComponentChild =>
  h(
    'section',
    { class: 'card' },
    h('h2', null, 'Nodes before and after'),
    h('p', { class: 'faint' }, summaryOf(picture)),
    h(BeforeAndAfter, { picture }),
    h(
      'p',
      { class: 'faint' },
      'A box is a node, filled with its pods. Dashed: a new node. Crossed: removed. Point at a box or a pod for its name and the reason.',
    ),
  );

const toVirtual = ({ tag, attributes, children }: Element): ComponentChild =>
  h(tag, attributes, ...children.map((child) => (typeof child === 'string' ? child : toVirtual(child))));

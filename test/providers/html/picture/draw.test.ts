import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import { nodeName } from '../../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../../core/model/values/time.ts';
import { draw, type Element, summaryOf } from '../../../../providers/html/picture/draw.ts';
import { pictureOf } from '../../../../providers/html/picture/of-scenario.ts';
import { pictureOfRecord } from '../../../../providers/html/picture/of-record.ts';
import type { Picture, PictureNode } from '../../../../providers/html/picture/picture.ts';
import { node, pod } from '../../../builders.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../../explained.ts';
import { group, NOW, scenario, times } from '../../../scenario-builders.ts';

const SAFE = { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' };
const BIG = { cpu: 4, memory: '16Gi' };
/** A group of three nodes, of which one is removed, and pods for which two nodes are added. */
const pictured = (): Picture => {
  const given = scenario({
    groups: [group('web', { nodes: ['full', 'half', 'unneeded'] })],
    nodes: ['full', 'half', 'unneeded', 'other'].map((name) => node(name, BIG)),
    pods: [
      pod('a', { node: 'full', requests: { cpu: 3, memory: '2Gi' }, owner: 'ReplicaSet/a' }),
      pod('b', { node: 'half', requests: { cpu: 1, memory: '8Gi' }, owner: 'ReplicaSet/b' }),
      pod('c', { node: 'unneeded', requests: { cpu: 1, memory: '1Gi' }, annotations: SAFE }),
      pod('done', { node: 'full', requests: { cpu: 3 }, phase: 'Succeeded' }),
      pod('huge', { requests: { cpu: 64 }, owner: 'ReplicaSet/huge' }),
    ],
    state: { unneededSince: { [nodeName('unneeded')]: addTime(NOW, minutes(-20)) } },
  });
  return pictureOf(given, evaluate(given));
};
const nodesOf = ({ groups }: Picture): ReadonlyMap<string, PictureNode> =>
  new Map(groups.flatMap(({ nodes }) => nodes.map((one) => [one.name, one] as const)));
const titlesIn = ({ tag, children }: Element): readonly string[] =>
  children.flatMap((child) => (typeof child === 'string' ? (tag === 'title' ? [child] : []) : titlesIn(child)));

describe('a picture of a scenario', () => {
  test('has the nodes by their groups, each with its pods by the resource that they use most of', () => {
    const picture = pictured();
    expect(picture.groups.map(({ name, nodes }) => [name, nodes.map((one) => one.name)])).toEqual([
      ['web', ['full', 'half', 'unneeded']],
      [null, ['other']],
    ]);
    expect(nodesOf(picture).get('full')?.pods[0]).toMatchObject({ name: 'default/a', share: 75 });
    expect(nodesOf(picture).get('half')?.pods[0]).toMatchObject({ name: 'default/b', share: 50 });
  });

  test('moves the pods of a removed node to the nodes on which they fit', () => {
    const nodes = nodesOf(pictured());
    expect(nodes.get('unneeded')).toMatchObject({
      state: 'leaving',
      when: 'before',
      note: 'drained of 1 pod, and removed',
      pods: [{ name: 'default/c', when: 'before' }],
    });
    const arrived = [...nodes.values()].flatMap(({ pods }) => pods.filter(({ when }) => when === 'after'));
    expect(arrived.map(({ name }) => name)).toEqual(['default/c']);
  });

  test('has the pods that no node group can hold on both sides, with the reason', () => {
    expect(pictured().pending).toMatchObject([
      { name: 'default/huge', when: 'both', note: expect.stringContaining('Insufficient cpu') },
    ]);
  });

  test('fills new nodes with the pods for which they are added', () => {
    const given = scenario({
      groups: [group('web')],
      pods: times(3, (i) => pod(`w-${i}`, { requests: { cpu: 2 }, owner: 'ReplicaSet/w' })),
    });
    const [web] = pictureOf(given, evaluate(given)).groups;
    expect(web?.nodes.map(({ when, state, pods }) => [when, state, pods.length])).toEqual([
      ['after', 'booting', 2],
      ['after', 'booting', 1],
    ]);
  });
});

describe('a drawing', () => {
  test('says on hovering what a node and a pod are, and what becomes of them', () => {
    const before = titlesIn(draw(pictured(), 'before')).join('\n\n');
    expect(before).toContain('unneeded\n25% requested by 1 pod\ndrained of 1 pod, and removed');
    expect(before).toContain('default/a\n75% of the node');
    expect(titlesIn(draw(pictured(), 'after')).join('\n\n')).not.toContain('unneeded\n');
    expect(summaryOf(pictured())).toBe('4 nodes, 0 added, 1 removed; 1 pending pod.');
  });

  test.each([
    [12, 40],
    [100, 20],
    [2_000, 9],
  ])('of %i nodes has boxes %i pixels wide', (count, width) => {
    const given = scenario({
      groups: [group('web', { nodes: times(count, (i) => `n${i}`), max: count })],
      nodes: times(count, (i) => node(`n${i}`, BIG)),
    });
    const [, boxes] = draw(pictureOf(given, evaluate(given)), 'before').children;
    expect(typeof boxes === 'string' ? [] : boxes?.children).toHaveLength(count);
    expect(JSON.stringify(boxes).match(/"width":(\d+)/)?.[1]).toBe(String(width));
  });
});

test('the picture of stored decisions has each node, and what is requested of unneeded ones', async () => {
  const world = eventfulWorld();
  await evaluated(world);
  const picture = pictureOfRecord(await clusterRecordOf(world));
  const nodes = picture === null ? new Map<string, PictureNode>() : nodesOf(picture);
  expect([...nodes].map(([name, { state, when }]) => [name, state, when])).toEqual([
    ['n1', 'unneeded', 'both'],
    ['n2', 'unfilled', 'both'],
    ['n3', 'unfilled', 'both'],
    ['new node 1 of web-b', 'booting', 'after'],
  ]);
  expect(nodes.get('n2')?.note).toContain('NotReplicated');
});

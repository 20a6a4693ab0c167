import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PRODUCT } from '../../scripts/measure/product.ts';
import { importsOf, ROOT } from './imported-files.ts';

const FOLDERS = [...PRODUCT, 'test'];

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Every file with the files that it imports. */
const FILES: Graph = new Map(
  filesIn().map((file) => [file, new Set(importsOf(file).flatMap((imported) => imported.file ?? []))]),
);

function filesIn(): readonly string[] {
  return FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT }));
}

/** The rooms of a folder: its folders, and each of the files beside them. */
function roomsOf(folder: string): Graph {
  const depth = folder.split('/').length + 1;
  const roomOf = (file: string): string => file.split('/').slice(0, depth).join('/');
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of FILES) {
    if (file.startsWith(`${folder}/`)) {
      const own = rooms.get(roomOf(file)) ?? new Set();
      rooms.set(roomOf(file), own);
      for (const target of targets) {
        if (target.startsWith(`${folder}/`) && roomOf(target) !== roomOf(file)) {
          own.add(roomOf(target));
        }
      }
    }
  }
  return rooms;
}

/** A circle of the graph, from a node to itself; `null` where there is none. */
function circleIn(graph: Graph): readonly string[] | null {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): readonly string[] | null => {
    if (path.includes(node)) {
      return [...path.slice(path.indexOf(node)), node];
    }
    if (done.has(node)) {
      return null;
    }
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next);
      if (circle !== null) {
        return circle;
      }
    }
    path.pop();
    done.add(node);
    return null;
  };
  for (const node of graph.keys()) {
    const circle = visit(node);
    if (circle !== null) {
      return circle;
    }
  }
  return null;
}

describe('no circle', () => {
  test('of files that import each other, imports of types included', () => {
    expect(FILES.size).toBeGreaterThan(500);
    expect((circleIn(FILES) ?? []).join(' → ')).toBe('');
  });

  test.each(['core', 'core/model', 'core/scaleup', 'providers/aws', 'providers/kubernetes'])(
    'of the rooms of %s',
    (folder) => {
      const rooms = roomsOf(folder);
      expect(rooms.size).toBeGreaterThan(3);
      expect((circleIn(rooms) ?? []).join(' → ')).toBe('');
    },
  );

  test('is found where there is one', () => {
    const graph = new Map([
      ['a', new Set(['b', 'c'])],
      ['b', new Set(['c'])],
      ['c', new Set(['d'])],
      ['d', new Set(['b'])],
    ]);
    expect(circleIn(graph)).toEqual(['b', 'c', 'd', 'b']);
  });
});

test('scale-up has few arrows between its rooms', () => {
  const arrows = [...roomsOf('core/scaleup')].flatMap(([from, targets]) => [...targets].map((to) => `${from} → ${to}`));
  expect(arrows.length).toBeLessThanOrEqual(14);
});

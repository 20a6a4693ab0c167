import { expect, it } from 'vitest';
import { obstaclesTo, type Tree } from '../../../scripts/release/obstacles.ts';

const TREE: Tree = {
  version: '1.4.2',
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [1.4.2]\n\n* Something.\n',
  changes: '',
  tags: ['latest', 'v1.4.2'],
};

it('nothing is in the way of a release of a tagged and clean tree', () => {
  expect(obstaclesTo(TREE)).toEqual([]);
});

it.each<[string, Partial<Tree>, string]>([
  ['is not committed', { changes: ' M README.md' }, 'the tree has changes that are not committed'],
  ['has the tag of another version', { tags: ['v1.4.1'] }, 'HEAD has no tag v1.4.2'],
  [
    'has changes of a later version',
    { changelog: '## [Unreleased]\n\n* Something else.\n\n## [1.4.2]\n' },
    'CHANGELOG.md has changes under Unreleased, which belong to 1.4.2 or a later version',
  ],
])('a tree that %s is not released', (_, tree, obstacle) => {
  expect(obstaclesTo({ ...TREE, ...tree })).toEqual([obstacle]);
});

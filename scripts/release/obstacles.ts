import { documentedVersion } from '../docs-site/contents.ts';

/** A clone that a release is built of. */
export interface Tree {
  readonly version: string;
  readonly changelog: string;
  /** Output of `git status --porcelain`. */
  readonly changes: string;
  /** Tags of the commit. */
  readonly tags: readonly string[];
}

/** Returns the reasons why a release of a tree may not be published. */
export function obstaclesTo({ version, changelog, changes, tags }: Tree): readonly string[] {
  const checks: readonly (readonly [isMet: boolean, obstacle: string])[] = [
    [changes === '', 'the tree has changes that are not committed'],
    [tags.includes(`v${version}`), `HEAD has no tag v${version}`],
    [
      documentedVersion(changelog, version) === version,
      `CHANGELOG.md has changes under Unreleased, which belong to ${version} or a later version`,
    ],
  ];
  return checks.flatMap(([isMet, obstacle]) => (isMet ? [] : [obstacle]));
}

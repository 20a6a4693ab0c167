import { spawnSync } from 'node:child_process';

/** As `git log --oneline` and mails show a subject whole. */
const MOST_CHARACTERS = 72;

/**
 * The commits after `base` with a longer subject, as lines of hash and subject. Subjects of merges are often GitHub's.
 *
 * @throws Error where the clone in `folder` lacks `base`
 */
export function longSubjects(folder: string, base: string): readonly string[] {
  const log = spawnSync('git', ['log', '--no-merges', '--format=%h %s', `${base}..HEAD`], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (log.status !== 0) {
    throw new Error(log.stderr);
  }
  return log.stdout.split('\n').filter((line) => line.slice(line.indexOf(' ') + 1).length > MOST_CHARACTERS);
}

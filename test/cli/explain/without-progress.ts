/** Removes the line that a command prints after a second of reading, for instance on a slow machine. */
export const withoutProgress = (stderr: string): string =>
  stderr.replace(/^Reading what is stored of cluster .* …\n/, '');

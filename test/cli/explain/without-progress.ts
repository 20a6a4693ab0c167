/** What a command that reads what is stored says besides its answer: after a second, as on a slow machine, also that it is reading. */
export const withoutProgress = (stderr: string): string =>
  stderr.replace(/^Reading what is stored of cluster .* …\n/, '');

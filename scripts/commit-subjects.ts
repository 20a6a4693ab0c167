import { longSubjects } from './ci/long-subjects.ts';

// Prints the commits after a base, the argument, whose subject is too long, and ends with 1 if there are any.
const long = longSubjects(import.meta.dirname, process.argv[2] ?? 'HEAD');
long.forEach((line) => console.error(line));
process.exitCode = long.length === 0 ? 0 : 1;

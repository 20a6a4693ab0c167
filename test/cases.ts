/**
 * How many generated cases a test has. With `CASES=10` in the environment there are ten times as many: `npm test` has the
 * cases that find most mistakes, and a nightly run those that find the others.
 */
export const cases = (usual: number): number => usual * Number(process.env['CASES'] ?? 1);

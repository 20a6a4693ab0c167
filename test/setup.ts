import fc from 'fast-check';
import './aws-models/record.ts';
import { cases } from './cases.ts';

const { FC_SEED = '1', FC_PATH } = process.env;

// A gate must not depend on luck: the same cases every time, others with FC_SEED=<number>. FC_PATH is of the one case to run again, as a
// failure prints it.
fc.configureGlobal({
  seed: Number(FC_SEED),
  numRuns: cases(100),
  ...(FC_PATH === undefined ? {} : { path: FC_PATH, endOnFailure: true }),
});

/**
 * `npm run planted [-- --only ID… --by units|simulation|hostile --seeds N --write]`: plants each defect of the table in a copy of the tree,
 * and tells which test and which invariant of a simulation find it. See docs/planted-defects.md.
 */
import { join } from 'node:path';
import { planted } from './command.ts';

await planted(join(import.meta.dirname, '../..')).parseAsync();

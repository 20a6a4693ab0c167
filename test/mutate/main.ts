/**
 * `npm run mutate [-- --mutants N --seed S --room FOLDER…]`: breaks the product at random places, one at a time, and tells which
 * of these mutants no test sees. See docs/planted-defects.md.
 */
import { join } from 'node:path';
import { mutate } from './command.ts';

await mutate(join(import.meta.dirname, '../..')).parseAsync();

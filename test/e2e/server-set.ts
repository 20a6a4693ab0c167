import type { ServerSet } from './servers/server-set.ts';
import { shared } from './shared.ts';

/** The servers of the worker that runs this file: no other file uses them meanwhile. The first file of a worker starts them. */
export const serverSet: ServerSet = await shared(`servers/${process.env['VITEST_POOL_ID']}`);

import type { ServerSet } from './servers/server-set.ts';
import { shared } from './shared.ts';

/** The version of the control plane. */
const KUBERNETES = process.env['OUTRIGGER_E2E_KUBERNETES'] ?? '1.35';

/** The servers of the worker that runs this file: no other file uses them meanwhile. The first file of a worker starts them. */
export const serverSet: ServerSet = await shared(`servers/${KUBERNETES}/${process.env['VITEST_POOL_ID']}`);

/** Builds the servers that are missing, to find out before the tests whether that works. */
import { ensureServers } from './cache.ts';

const servers = await ensureServers();
process.stdout.write(`e2e: servers are in ${Object.values(servers).join(', ')}\n`);

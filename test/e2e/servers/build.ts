/** Builds the servers that are missing, or those of them that arguments name, to find out before the tests whether that works. */
import { ensureServers, type Servers } from './cache.ts';

const names = process.argv.slice(2) as (keyof Servers)[];
const servers = await (names.length === 0 ? ensureServers() : ensureServers(names));
process.stdout.write(`e2e: servers are in ${Object.values(servers).join(', ')}\n`);

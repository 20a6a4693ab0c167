#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A clone runs its sources, which Node 24 does without a build; the package has none, and runs what was built from them.
const source = new URL('main.ts', import.meta.url);
const isClone = existsSync(source);
const isSupported = isClone ? process.features.typescript : Number.parseInt(process.versions.node, 10) >= 20;
if (!isSupported) {
  const needed = isClone ? 'runs on Node 24 in a clone, which npx outrigger uses' : 'needs Node 20 or later';
  process.stderr.write(`error: Outrigger ${needed}; this is Node ${process.versions.node}\n`);
  process.exit(1);
}
await import(isClone ? source : new URL('../dist/cli/main.js', import.meta.url));

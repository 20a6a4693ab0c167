#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A clone runs its sources, which Node 24 does without a build; the package has none, and runs what was built from them.
const source = new URL('main.ts', import.meta.url);
await import(existsSync(source) ? source : new URL('../dist/cli/main.js', import.meta.url));

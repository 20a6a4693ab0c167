#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { Command } from 'commander';
import manifest from 'outrigger/package.json' with { type: 'json' };
import { requiredLast } from './terminal/misuse.ts';
import { endWhenOutputFails } from './terminal/output-failures.ts';

// What the TypeScript sources compile to is kept beside them, where that can be written: the next start takes half the time.
if (import.meta.url.endsWith('.ts')) {
  nodeModule.enableCompileCache(join(import.meta.dirname, '..', '.cache', 'compiled'));
}

// The sources use ECMAScript 2025, which Node has from version 24 on.
if (!('escape' in RegExp)) {
  await import('core-js/es/index.js');
}

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./commands/demo.ts')).demoCommand(),
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand(),
  schema: async () => (await import('./commands/schema.ts')).schemaCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  token: async () => (await import('./commands/token.ts')).tokenCommand(),
  install: async () => (await import('./commands/install.ts')).installCommand(),
  uninstall: async () => (await import('./commands/uninstall.ts')).uninstallCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  explain: async () => (await import('./commands/explain.ts')).explainCommand(),
  history: async () => (await import('./commands/history.ts')).historyCommand(),
  replay: async () => (await import('./commands/replay.ts')).replayCommand(),
  snapshot: async () => (await import('./commands/snapshot.ts')).snapshotCommand(),
  local: async () => (await import('./commands/local.ts')).localCommand(),
};

// One signal ends all requests of an evaluation, which are more than the ten that Node 20 and 22 suspect a leak from.
setMaxListeners(100);
// The package has a version of the AWS SDK that supports Node 20: its advice to update is for those who install the SDK.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

endWhenOutputFails(process);

/** After what is wrong with a command line. A subcommand does not inherit it. */
const HELP_HINT = '(add --help for the options)';

const program = new Command('outrigger')
  .description('A cluster autoscaler for Amazon EKS that runs outside the cluster')
  .version(manifest.version)
  .showSuggestionAfterError()
  .showHelpAfterError(HELP_HINT);

// Only the command that is called is loaded (AWS clients alone take half a second); for help, all of them.
const called = process.argv[2] ?? '';
const wanted = Object.hasOwn(COMMANDS, called) ? [called] : isVersion(called) ? [] : Object.keys(COMMANDS);
for (const name of wanted) {
  program.addCommand(requiredLast(await COMMANDS[name]!()).showHelpAfterError(HELP_HINT));
}
if (wanted.length > 1) {
  const { addCompletion } = await import('./completion.ts');
  addCompletion(program);
}

await program.parseAsync();

function isVersion(argument: string): boolean {
  return argument === '--version' || argument === '-V';
}

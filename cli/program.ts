import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { Command } from 'commander';
import manifest from 'outrigger/package.json' with { type: 'json' };
import { exitCodesHelp } from './exit-codes.ts';
import { endWithInvalid, requiredLast } from './terminal/misuse.ts';
import { DEFAULT_WIDTH } from './terminal/style.ts';
import { wrapHelp } from './terminal/wrap-help.ts';

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./commands/demo.ts')).demoCommand(),
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand(),
  'node-cost': async () => (await import('./commands/node-cost.ts')).nodeCostCommand(),
  cost: async () => (await import('./commands/cost.ts')).costCommand(),
  schema: async () => (await import('./commands/schema.ts')).schemaCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  token: async () => (await import('./commands/token.ts')).tokenCommand(),
  assets: async () => (await import('./commands/assets.ts')).assetsCommand(),
  install: async () => (await import('./commands/install.ts')).installCommand(),
  uninstall: async () => (await import('./commands/uninstall.ts')).uninstallCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  exporter: async () => (await import('./commands/exporter.ts')).exporterCommand(),
  pause: async () => (await import('./commands/pause.ts')).pauseCommand(),
  resume: async () => (await import('./commands/resume.ts')).resumeCommand(),
  'planned-placement': async () => (await import('./commands/planned-placement.ts')).plannedPlacementCommand(),
  explain: async () => (await import('./commands/explain.ts')).explainCommand(),
  history: async () => (await import('./commands/history.ts')).historyCommand(),
  compare: async () => (await import('./commands/compare.ts')).compareCommand(),
  replay: async () => (await import('./commands/replay.ts')).replayCommand(),
  backtest: async () => (await import('./commands/backtest.ts')).backtestCommand(),
  advise: async () => (await import('./commands/advise.ts')).adviseCommand(),
  snapshot: async () => (await import('./commands/snapshot.ts')).snapshotCommand(),
  local: async () => (await import('./commands/local.ts')).localCommand(),
};

/** Commands whose exit code 2 says something else than an invalid command line. */
const ENDS_WITH_1: ReadonlySet<string> = new Set(['local']);

/** After what is wrong with a command line. A subcommand does not inherit it. */
const HELP_HINT = '(add --help for the options)';

/**
 * The command line of `outrigger`, which runs when it parses its arguments.
 *
 * @param called its first argument: only the command of this name is loaded (AWS clients alone take half a second); for help,
 * all of them
 */
export async function outriggerProgram(called: string): Promise<Command> {
  const program = new Command('outrigger')
    .description('A cluster autoscaler for Amazon EKS that runs outside the cluster')
    .version(manifest.version)
    .showSuggestionAfterError()
    .showHelpAfterError(HELP_HINT)
    .addHelpText('after', exitCodesHelp())
    .exitOverride(endWithInvalid);
  const all = isVersion(called) ? [] : Object.keys(COMMANDS);
  const wanted = Object.hasOwn(COMMANDS, called) ? [called] : all;
  for (const name of wanted) {
    const command = requiredLast(await getOwn(COMMANDS, name)())
      .showHelpAfterError(HELP_HINT)
      .configureOutput({
        writeOut: (text) => process.stdout.write(wrapHelp(text, process.stdout.columns || DEFAULT_WIDTH)),
      });
    program.addCommand(ENDS_WITH_1.has(name) ? command : command.exitOverride(endWithInvalid));
  }
  if (wanted.length > 1) {
    const { addCompletion } = await import('./completion.ts');
    addCompletion(program);
  }
  return program;
}

function isVersion(argument: string): boolean {
  return argument === '--version' || argument === '-V';
}

import type { Command } from 'commander';

/** An exit code, and when the program ends with it. */
export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
  /** Arguments of a run that ends so. */
  readonly example: string;
}

/** The exit codes of commands: their work is done, it has failed, the command line or a file is invalid, a pod has an unwanted outcome. */
export const EXIT = { done: 0, failed: 1, invalid: 2, unmet: 3 } as const;

/** When each command ends with which exit code. `docs/exit-codes.md` and `outrigger --help` have this table. */
export const EXIT_CODES: readonly ExitCode[] = [
  { code: 0, meaning: 'success', example: 'schema options' },
  {
    code: 1,
    meaning: 'failure: of a service, of the cluster, of a check or of a step',
    example: 'snapshot --cluster prod --region eu-west-1 --kubeconfig nowhere',
  },
  { code: 1, meaning: 'local: the command line or a file is invalid', example: 'local --clustr prod' },
  { code: 2, meaning: 'the command line, the configuration or a file is invalid', example: 'demo --seed 1.5' },
  {
    code: 2,
    meaning: 'local --detailed-exitcode: something would be changed',
    example: 'local --cluster web --region eu-west-1 --dry-run --once --detailed-exitcode',
  },
  {
    code: 3,
    meaning: 'simulate --fail-on: a pod has that outcome',
    example: 'simulate --fail-on unschedulable examples/unschedulable.yaml',
  },
  {
    code: 130,
    meaning: 'install, uninstall: interrupted by Ctrl+C; run the command again',
    example: 'install --cluster prod --region eu-west-1',
  },
];

/** The exit codes, as help shows them. */
export const exitCodesHelp = (): string =>
  ['', 'Exit codes:', ...EXIT_CODES.map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)].join('\n');

/** The command line, the configuration or a file is invalid, which shows after the command line was parsed: the command ends with 2. */
export class InvalidSettings extends Error {}

/** Marks an error of a command whose command line is right. */
export const FAILED = 'outrigger.failed';

/** Ends a command that cannot do its work with 1, without advice about its options. */
export function endWithFailure(command: Command, message: string): never {
  return command.showHelpAfterError(false).error(`error: ${message}`, { code: FAILED, exitCode: EXIT.failed });
}

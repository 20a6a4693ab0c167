import { EXIT_CODES } from '../../cli/exit-codes.ts';
import { head, row, withTables } from './marked-tables.ts';

/** A page with the table of exit codes between its markers. */
export const withExitCodes = (page: string): string =>
  withTables(page, 'cli/exit-codes.ts', { 'exit-codes': exitCodeTable });

const exitCodeTable = (): string =>
  [
    ...head('Exit code', 'Meaning', 'For instance'),
    ...EXIT_CODES.map(({ code, meaning, example }) => row(String(code), meaning, `\`npx outrigger ${example}\``)),
  ].join('\n');

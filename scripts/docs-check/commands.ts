import { readdir } from 'node:fs/promises';
import { type Command, CommanderError } from 'commander';
import { parse } from 'shell-quote';

/** The simple commands in a shell block: words, without assignments and redirections. */
export function commandsIn(text: string): readonly (readonly string[])[] {
  const lines = text
    .replaceAll('\\\n', ' ')
    .replaceAll(/\|\s*\n/g, '| ')
    .split('\n');
  return lines.flatMap((line) => simpleCommands(line)).map(withoutAssignments);
}

function simpleCommands(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  let redirected = false;
  for (const token of parse(line, (name) => `$${name}`)) {
    if (typeof token === 'object' && 'comment' in token) {
      break;
    }
    const word = typeof token === 'string' ? token : token.op === 'glob' ? token.pattern : null;
    if (word === null) {
      redirected = /[<>]/.test((token as { readonly op: string }).op);
      if (!redirected) {
        commands.push([]);
      }
    } else if (redirected) {
      redirected = false;
    } else {
      commands.at(-1)!.push(word);
    }
  }
  return commands.filter((words) => words.length > 0);
}

const withoutAssignments = (words: readonly string[]): readonly string[] => {
  const start = words.findIndex((word) => !/^\w+=/.test(word));
  return start < 0 ? [] : words.slice(start);
};

/** Commands and options that the documentation may use. */
export interface Known {
  /** The commands of the command line, by name; made anew for each use, as one keeps what it has parsed. */
  readonly commands: ReadonlyMap<string, () => Command>;
  /** The scripts of package.json. */
  readonly scripts: ReadonlySet<string>;
}

/** The commands that are in `cli/commands`, one in each file. */
export async function commandLine(): Promise<Known['commands']> {
  const folder = new URL('../../cli/commands/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, folder).href)) as Readonly<Record<string, unknown>>),
  );
  const makers = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, made]) =>
      name.endsWith('Command') && typeof made === 'function' ? [made as () => Command] : [],
    ),
  );
  return new Map(makers.map((make) => [make().name(), make]));
}

/**
 * Finds mistakes in this repository's commands in a block: subcommands, options and values that the command line does
 * not take, and scripts missing from package.json. Commands of other programs are ignored.
 */
export async function wrongCommands(text: string, known: Known): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [program, ...words] of commandsIn(text).map(withoutRunner)) {
    if (program === 'outrigger') {
      wrong.push(...(await wrongArguments(words, known)));
    } else if (program === 'npm' && (words[0] === 'run' || words[0] === 'test')) {
      const script = words[0] === 'run' ? words.slice(1).find((word) => !word.startsWith('-')) : 'test';
      wrong.push(...(known.scripts.has(script ?? '') ? [] : [`package.json has no script ${script}`]));
    }
  }
  return wrong;
}

const withoutRunner = (words: readonly string[]): readonly string[] =>
  /^(?:npx|kubectl)$/.test(words[0] ?? '') ? words.slice(1) : words;

/** How many commands of this repository's command line are in a block. */
export const countOwn = (text: string): number =>
  commandsIn(text)
    .map(withoutRunner)
    .filter(([program]) => program === 'outrigger').length;

async function wrongArguments(words: readonly string[], { commands }: Known): Promise<readonly string[]> {
  const [name = '', ...given] = words;
  if (['--version', '-V', '--help', '-h', 'help'].includes(name)) {
    return [];
  }
  const make = commands.get(name);
  if (make === undefined) {
    return [`outrigger has no command ${name}`];
  }
  const complaints: string[] = [];
  const command = make()
    .exitOverride()
    .configureOutput({ writeErr: (text) => void complaints.push(text.split('\n')[0]!), writeOut: () => {} })
    .action(() => {});
  try {
    await command.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    return error.exitCode === 0 ? [] : [`outrigger ${name}: ${complaints[0] ?? error.message}`];
  }
  return [];
}

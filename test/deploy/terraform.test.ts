import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = path.join(import.meta.dirname, '../../deploy/terraform');
const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');

/** A block of a file that `tofu fmt` has formatted. */
interface Block {
  readonly name: string;
  readonly body: string;
}

const blocksIn = (text: string, kind: string): readonly Block[] =>
  [...text.matchAll(new RegExp(String.raw`^${kind} "(\w+)" \{\n([\s\S]*?)^\}`, 'gm'))].map(([, name, body]) => ({
    name: name!,
    body: body!,
  }));

/** The value of an argument on one line; `null` if the block has none. */
const argument = ({ body }: Block, name: string): string | null =>
  new RegExp(String.raw`^  ${name}\s+= (.+)$`, 'm').exec(body)?.[1] ?? null;

const description = (block: Block): string => (JSON.parse(argument(block, 'description') ?? '""') as string).trim();

const escaped = (text: string): string => text.replaceAll('_', String.raw`\_`);

/** A row of the tables of terraform-docs. */
const inputRow = (block: Block): string => {
  const [type, given] = [argument(block, 'type'), argument(block, 'default')];
  const cells = [`\`${type}\``, given === null ? 'n/a' : `\`${given}\``, given === null ? 'yes' : 'no'];
  return row('input', block, cells);
};

const row = (kind: string, block: Block, cells: readonly string[]): string =>
  `| ${[`<a name="${kind}_${block.name}"></a> [${block.name}](#${kind}\\_${escaped(block.name)})`, description(block), ...cells].join(' | ')} |`;

/** Rows of the versions that a module requires: of Terraform, of its providers, or of both. */
const versionRows = (
  kind: string,
  versions: readonly (readonly [name: string, version: string])[],
): readonly string[] =>
  versions.map(([name, version]) => `| <a name="${kind}_${name}"></a> [${name}](#${kind}\\_${name}) | ${version} |`);

const rowsIn = (readme: string, kind: string): readonly string[] =>
  readme.split('\n').filter((line) => line.startsWith(`| <a name="${kind}_`));

const modules = ['.', ...globSync('modules/*', { cwd: folder })];

describe.each(modules)('the module %s', (module) => {
  const own = (file: string): string => read(path.join(module, file));
  const variables = blocksIn(own('variables.tf'), 'variable');
  const outputs = globSync(path.join(module, 'outputs.tf'), { cwd: folder }).flatMap((file) =>
    blocksIn(read(file), 'output'),
  );

  it('describes each variable and output in its README, and nothing else', () => {
    const byName = (blocks: readonly Block[]) => blocks.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(variables.filter((block) => description(block) === '' || argument(block, 'type') === null)).toEqual([]);
    expect(rowsIn(own('README.md'), 'input')).toEqual(byName(variables).map(inputRow));
    expect(rowsIn(own('README.md'), 'output')).toEqual(byName(outputs).map((block) => row('output', block, [])));
  });

  it('has the required versions in its README', () => {
    const text = own('versions.tf');
    const terraform = /required_version = "(.*)"/.exec(text)?.[1] ?? '';
    const providers = [...text.matchAll(/^ {4}(\w+) = \{[\s\S]*?version = "(.*)"/gm)].map(
      ([, name, version]) => [name!, version!] as const,
    );
    expect(rowsIn(own('README.md'), 'requirement')).toEqual(
      versionRows('requirement', [['terraform', terraform], ...providers]),
    );
    expect(rowsIn(own('README.md'), 'provider')).toEqual(versionRows('provider', providers));
  });

  it('uses each variable, and no other', () => {
    const used = [...own('main.tf').matchAll(/\bvar\.(\w+)/g)].map(([, name]) => name!);
    expect(new Set(used)).toEqual(new Set(variables.map(({ name }) => name)));
  });
});

describe.each(globSync('examples/*', { cwd: folder }))('%s', (example) => {
  it('gives its modules variables that they have, and all that they require', () => {
    const text = read(path.join(example, 'main.tf'));
    const called = blocksIn(text, 'module');
    expect(called.length).toBeGreaterThan(0);
    for (const block of called) {
      const source = JSON.parse(argument(block, 'source')!.replace(/ #.*$/, '')) as string;
      const variables = blocksIn(read(path.join(example, source, 'variables.tf')), 'variable');
      const required = variables.filter((variable) => argument(variable, 'default') === null);
      const given = [...block.body.matchAll(/^ {2}(\w+)\s+=/gm)].map(([, name]) => name!);
      const arguments_ = given.filter((name) => name !== 'source' && name !== 'for_each');
      expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(arguments_));
      expect(arguments_).toEqual(expect.arrayContaining(required.map(({ name }) => name)));
    }
  });
});

import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureServers } from '../servers/cache.ts';

const execute = promisify(execFile);

/** Terraform as it is installed; otherwise OpenTofu, which is built. */
export async function terraformProgram(): Promise<string> {
  const isInstalled = spawnSync('terraform', ['version']).status === 0;
  return isInstalled ? 'terraform' : path.join((await ensureServers(['opentofu'])).opentofu, 'tofu');
}

/** Values that the module gives its stack. */
export interface ModuleValues {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The archives that it uploads. */
  readonly code: readonly string[];
}

/**
 * Has Terraform, or OpenTofu where it is not installed, evaluate the variables, locals and expressions of the module without its resources, which need the provider of AWS.
 *
 * @throws Error for variables that the module refuses, with Terraform's `stderr`
 */
export async function moduleValues(
  program: string,
  module: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<ModuleValues> {
  const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-terraform-'));
  try {
    const text = await readFile(path.join(module, 'main.tf'), 'utf8');
    const part = (pattern: RegExp): string => {
      const [, found] = pattern.exec(text) ?? [];
      if (found === undefined) throw new Error(`main.tf has no ${pattern}`);
      return found;
    };
    const outputs = {
      name: part(/^resource "aws_cloudformation_stack"[\s\S]*?^ {2}name += (.*)$/m),
      parameters: part(/^ {2}parameters = (\{\n[\s\S]*?^ {2}\})/m),
      code: part(/^ {2}for_each = (.*)$/m),
    };
    const blocks = Object.entries(outputs).map(([name, value]) => `output "${name}" {\n  value = ${value}\n}\n`);
    await writeFile(path.join(folder, 'main.tf'), [part(/^(locals \{\n[\s\S]*?^\})/m), ...blocks].join('\n'));
    await copyFile(path.join(module, 'variables.tf'), path.join(folder, 'variables.tf'));
    const given = { release_dir: path.dirname(module), ...variables };
    await writeFile(path.join(folder, 'terraform.tfvars.json'), JSON.stringify(given));
    // OpenTofu writes a warning before its JSON where the file that this names does not exist.
    const { TF_CLI_CONFIG_FILE: _, ...inherited } = process.env;
    const terraform = (...args: readonly string[]) =>
      execute(program, args, { cwd: folder, env: { ...inherited, CHECKPOINT_DISABLE: 'true' } });
    await terraform('init', '-no-color');
    await terraform('apply', '-no-color', '-auto-approve');
    const { stdout } = await terraform('output', '-json');
    const read = JSON.parse(stdout) as {
      readonly [name in keyof ModuleValues]: { readonly value: ModuleValues[name] };
    };
    return { name: read.name.value, parameters: read.parameters.value, code: read.code.value };
  } finally {
    await rm(folder, { recursive: true });
  }
}

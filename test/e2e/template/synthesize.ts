import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll } from 'vitest';
import { OutriggerStack } from '../../../cdk/cluster-stack.ts';
import { readClusters } from '../../../cdk/settings.ts';

/** A resource of a CloudFormation template, as it is written there: values may be calls of intrinsic functions. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type: string; readonly Default?: string }>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** Upload of `cdk deploy`: a template, and the folder with its assets. */
export interface Synthesized {
  readonly template: Template;
  /** Path of the template. */
  readonly file: string;
  /** Folder of the asset with this hash. */
  readonly asset: (hash: string) => string;
}

/**
 * Synthesizes the stack of a cluster, for the tests of a file.
 *
 * @param settings as in outrigger.config.yaml
 * @param bundles the folder with one folder per function
 */
export function synthesize(
  settings: { readonly name: string; readonly [setting: string]: unknown },
  bundles: string,
): Synthesized {
  const [cluster] = readClusters([settings]);
  const outdir = temporaryFolder('synth');
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new OutriggerStack(app, `Outrigger-${settings.name}`, { cluster: cluster!, bundles });
  const assembly = app.synth();
  const { template, templateFullPath } = assembly.getStackByName(stack.stackName);
  return {
    template: template as Template,
    file: templateFullPath,
    asset: (hash) => path.join(outdir, `asset.${hash}`),
  };
}

/** The resources of a type, with their logical ids. */
export const resourcesOf = (template: Template, type: string): readonly (readonly [string, Resource])[] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);

/** A folder that is there until all tests of the file have run. For the file itself: not from within a test. */
export function temporaryFolder(what: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `outrigger-${what}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { configurationSchema } from '../../config/json-schema.ts';
import { FLAGS } from '../../config/flags.ts';
import { readConfiguration } from '../../config/read.ts';
import { HANDLER_SETTINGS } from '../../config/termination-handler.ts';
import { clusterSettings } from '../../config/schema.ts';
import { configurationPage, EXAMPLE } from '../../scripts/docs/configuration.ts';
import { flagsPage } from '../../scripts/docs/flags.ts';
import { handlerPage } from '../../scripts/docs/termination-handler.ts';
import { outrigger } from '../cli/outrigger.ts';

const page = async (name: string): Promise<string> =>
  await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

describe('the documentation of the configuration', () => {
  it('is that of the code (npm run docs writes it)', async () => {
    expect(await page('configuration.md')).toBe(configurationPage());
    expect(await page('flags.md')).toBe(flagsPage());
    expect(await page('node-termination-handler.md')).toBe(handlerPage());
  });

  it('has a row for every setting, with its value and its meaning', () => {
    const rows = configurationPage()
      .split('\n')
      .map((line) => /^\| `(\w+)` \| [^|]+ \| [^|]* \| [^|]+ \|$/.exec(line)?.[1]);
    for (const name of Object.keys(clusterSettings.shape)) {
      expect(rows).toContain(name);
    }
  });

  it('has an example that is right', () => {
    expect(readConfiguration(EXAMPLE, 'example')).toMatchObject({ ok: true, value: { warnings: [] } });
  });

  it('has a row for every flag', () => {
    const rows = flagsPage()
      .split('\n')
      .map((line) => /^\| `([a-z0-9-]+)`/.exec(line)?.[1]);
    expect(rows.filter((name) => name !== undefined).toSorted()).toEqual(FLAGS.map(({ name }) => name).toSorted());
  });

  it('has a row for every setting of Node Termination Handler', () => {
    const rows = handlerPage()
      .split('\n')
      .flatMap((line) => /^\| `([A-Z_]+)`/.exec(line)?.[1] ?? []);
    expect(rows.toSorted()).toEqual(HANDLER_SETTINGS.map(({ name }) => name).toSorted());
  });
});

it('the configuration of this repository is right', async () => {
  const text = await readFile(new URL('../../outrigger.config.yaml', import.meta.url), 'utf8');
  expect(readConfiguration(text, 'outrigger.config.yaml')).toMatchObject({ ok: true, value: { warnings: [] } });
});

describe('the JSON Schema of the configuration', () => {
  const faults = (document: unknown): readonly string[] =>
    z
      .fromJSONSchema(configurationSchema())
      .safeParse(document)
      .error?.issues.map(({ path }) => path.join('.')) ?? [];

  it('accepts the example', () => {
    expect(faults(parse(EXAMPLE))).toEqual([]);
  });

  it('refuses what the schema refuses', () => {
    expect(faults({ clusters: [{ name: 'web', mode: 'on' }] })).toEqual(['clusters.0.mode']);
    expect(faults({ clusters: [{ nam: 'web' }] })).not.toEqual([]);
  });

  it('is printed', async () => {
    const { stdout } = await outrigger(['schema', 'configuration']);
    expect(JSON.parse(stdout)).toEqual(configurationSchema());
  });
});

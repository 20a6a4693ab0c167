import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { regionFor } from '../../../cli/live/region.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'outrigger-region-'));
const profiles = path.join(directory, 'config');
writeFileSync(profiles, '[profile work]\nregion = ap-south-1\n[profile none]\noutput = json\n');
afterAll(() => rmSync(directory, { recursive: true }));

beforeEach(() => {
  vi.stubEnv('AWS_CONFIG_FILE', profiles);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', path.join(directory, 'credentials'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const ALL = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-west-2', AWS_PROFILE: 'work' };

describe('the region of a command', () => {
  it.each<[string, string | null, Readonly<Record<string, string | undefined>>, string]>([
    ['the one that is given', 'eu-west-1', ALL, 'eu-west-1'],
    ['else AWS_REGION', null, ALL, 'us-east-1'],
    ['else AWS_DEFAULT_REGION', null, { ...ALL, AWS_REGION: undefined }, 'us-west-2'],
    ['that of the profile', null, { ...ALL, AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined }, 'ap-south-1'],
    ['not a variable without a value', null, { ...ALL, AWS_REGION: '' }, 'us-west-2'],
  ])('is %s', async (_what, given, environment, region) => {
    Object.entries(environment).forEach(([name, value]) => vi.stubEnv(name, value));
    expect(await regionFor(given)).toBe(region);
  });

  it.each([undefined, ''])('must be known: AWS_REGION is %j', async (region) => {
    Object.entries({ ...ALL, AWS_DEFAULT_REGION: region, AWS_PROFILE: 'none' }).forEach(([name, value]) =>
      vi.stubEnv(name, value),
    );
    vi.stubEnv('AWS_REGION', region);
    await expect(regionFor(null)).rejects.toThrow(
      'No region is given: pass --region, or write it into outrigger.config.yaml or AWS_REGION',
    );
  });
});

import { describe, expect, it } from 'vitest';
import {
  audit,
  type Dependencies,
  type InstalledPackage,
  type LockedPackage,
} from '../../scripts/dependencies/audit.ts';
import { refusedInBundle } from '../../scripts/dependencies/licenses.ts';

const GOOD: LockedPackage = {
  version: '1.2.3',
  license: 'MIT',
  resolved: 'https://registry.example/a.tgz',
  integrity: `sha512-${'A'.repeat(86)}==`,
};

const problemsOf = (
  locked: Dependencies['locked'],
  installed: Readonly<Record<string, InstalledPackage>> = {},
  allowScripts: Dependencies['allowScripts'] = {},
): readonly string[] => audit({ locked, allowScripts, installed: (folder) => installed[folder] ?? null });

describe('the audit of dependencies', () => {
  it('passes packages with hashes and permissive licenses, links, and what is bundled in such a package', () => {
    const locked = {
      '': { license: 'Apache-2.0' },
      'node_modules/a': GOOD,
      'node_modules/a/node_modules/b': { version: '1.0.0', license: '(MIT OR GPL-3.0-or-later)', inBundle: true },
      'node_modules/own': { resolved: 'scripts/own', link: true },
      'scripts/own': { version: '0.0.0' },
      'node_modules/lightningcss-linux-x64-gnu': { ...GOOD, license: 'MPL-2.0' },
    };
    expect(problemsOf(locked, { 'node_modules/a': { version: '1.2.3', license: 'MIT' } })).toEqual([]);
  });

  it.each<readonly [string, string, LockedPackage, RegExp]>([
    ['no hash', 'a', { ...GOOD, integrity: '' }, /^node_modules\/a has no SHA-512/],
    ['a weak hash', 'a', { ...GOOD, integrity: 'sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }, /has no SHA-512/],
    ['a repository as its source', 'a', { ...GOOD, resolved: 'git+ssh://git@example/a.git' }, /not from a registry/],
    ['a license with conditions', 'a', { ...GOOD, license: 'GPL-3.0' }, /^node_modules\/a: its license is GPL-3\.0/],
    ['no license', 'a', { version: '1', resolved: GOOD.resolved!, integrity: GOOD.integrity! }, /license is not known/],
    ['the exception of another package', 'a', { ...GOOD, license: 'AGPL-3.0-or-later' }, /AGPL-3\.0-or-later/],
    ['two licenses at once', 'a', { ...GOOD, license: '(MIT AND GPL-3.0)' }, /MIT AND GPL-3\.0/],
    [
      'an install script that nobody has allowed or refused',
      'a',
      { ...GOOD, hasInstallScript: true },
      /^a runs a script/,
    ],
  ])('refuses a package with %s', (_, name, entry, problem) => {
    expect(problemsOf({ [`node_modules/${name}`]: entry })).toEqual([expect.stringMatching(problem)]);
  });

  it.each<readonly [string, InstalledPackage, RegExp]>([
    ['another version', { version: '1.2.4', license: 'MIT' }, /is installed in version 1\.2\.4, and locked in 1\.2\.3/],
    ['another license', { version: '1.2.3', license: 'GPL-3.0' }, /has the license GPL-3\.0, and MIT/],
    ['a script', { version: '1.2.3', scripts: { postinstall: 'curl x | sh' } }, /has the script postinstall/],
  ])('refuses an installed package with %s than the lock file has', (_, found, problem) => {
    expect(problemsOf({ 'node_modules/a': GOOD }, { 'node_modules/a': found })).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it('takes the decision about an install script, and no decision about none', () => {
    const locked = { 'node_modules/a': { ...GOOD, hasInstallScript: true }, 'node_modules/b': GOOD };
    expect(problemsOf(locked, {}, { a: false })).toEqual([]);
    expect(problemsOf(locked, {}, { a: true, b: false })).toEqual([expect.stringMatching(/^b is in allowScripts/)]);
  });

  it('lets no package for development alone into a bundle', () => {
    expect(refusedInBundle('MPL-2.0')).toContain('MPL-2.0');
    expect(refusedInBundle('(MIT OR GPL-3.0-or-later)')).toBeNull();
  });
});

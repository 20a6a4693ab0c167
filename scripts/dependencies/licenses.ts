/** Licenses whose only condition is that their text goes with the code. */
const PERMISSIVE: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Unlicense',
]);

/** Packages with conditions on the code around them. Tests and the build run them, and no bundle has them. */
const DEVELOPMENT_ONLY: readonly { readonly name: RegExp; readonly license: string }[] = [
  { name: /^@cloud-copilot\/iam-/, license: 'AGPL-3.0-or-later' },
  { name: /^lightningcss(?:-|$)/, license: 'MPL-2.0' },
];

/** A choice such as `(MIT OR GPL-3.0-or-later)` is permissive if one of its licenses is. */
const isPermissive = (license: string): boolean =>
  license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((one) => PERMISSIVE.has(one));

/** Why a package may not be a dependency; `null` where it may. */
export const refusedLicense = (name: string, license: string | undefined): string | null =>
  refusedInBundle(license) === null ||
  DEVELOPMENT_ONLY.some((known) => known.name.test(name) && known.license === license)
    ? null
    : refusedInBundle(license);

/** Why a package may not be in a bundle; `null` where it may. */
export const refusedInBundle = (license: string | undefined): string | null =>
  license !== undefined && isPermissive(license)
    ? null
    : `its license is ${license ?? 'not known'}, which scripts/dependencies/licenses.ts does not allow.`;

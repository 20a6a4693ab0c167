import { refusedLicense } from './licenses.ts';

/** An entry of `packages` in package-lock.json, by the folder of the package. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  /** Absent: the registry of the installation. */
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly inBundle?: boolean;
  readonly link?: boolean;
}

/** The `package.json` of an installed package. */
export interface InstalledPackage {
  readonly version?: string;
  readonly license?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
}

export interface Dependencies {
  readonly locked: Readonly<Record<string, LockedPackage>>;
  /** `allowScripts` in package.json: whether the install script of a package runs. */
  readonly allowScripts: Readonly<Record<string, boolean>>;
  /** `null`: not installed, as a package for another platform. */
  readonly installed: (folder: string) => InstalledPackage | null;
}

const MODULES = 'node_modules/';
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];
const SHA_512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/**
 * Finds problems of the dependencies, one a line, in the lock file and the installed packages. Has no I/O of its own.
 */
export function audit({ locked, allowScripts, installed }: Dependencies): readonly string[] {
  const packages = Object.entries(locked).filter(([folder, { link }]) => folder.startsWith(MODULES) && link !== true);
  const scripted = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([folder]) => nameOf(folder));
  return [
    ...packages.flatMap(([folder, entry]) => [
      ...wrongIntegrity(folder, entry, locked),
      ...wrongLicense(folder, entry),
      ...wrongInstallation(folder, entry, installed(folder)),
    ]),
    ...scripted
      .filter((name) => !Object.hasOwn(allowScripts, name))
      .map(
        (name) =>
          `${name} runs a script when it is installed. Read it, and set allowScripts of package.json to true or false for it.`,
      ),
    ...Object.keys(allowScripts)
      .filter((name) => !scripted.includes(name))
      .map((name) => `${name} is in allowScripts of package.json, and has no install script. Remove it there.`),
  ];
}

const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf(MODULES) + MODULES.length);

/** A bundled package is covered by the hash of the package that it is in. */
function wrongIntegrity(
  folder: string,
  { integrity = '', resolved, inBundle }: LockedPackage,
  locked: Dependencies['locked'],
): readonly string[] {
  if (inBundle === true) {
    const holder = folder.slice(0, folder.lastIndexOf(`/${MODULES}`));
    return locked[holder] === undefined ? [`${folder} is bundled in ${holder}, which is not locked.`] : [];
  }
  return [
    ...(SHA_512.test(integrity)
      ? []
      : [`${folder} has no SHA-512 in package-lock.json. Install it again from the registry.`]),
    ...(resolved === undefined || resolved.startsWith('https://')
      ? []
      : [`${folder} is from ${resolved}, and not from a registry.`]),
  ];
}

function wrongLicense(folder: string, { license }: LockedPackage): readonly string[] {
  const refused = refusedLicense(nameOf(folder), license);
  return refused === null ? [] : [`${folder}: ${refused}`];
}

/** The lock file says what the registry did: what is installed decides. */
function wrongInstallation(
  folder: string,
  { version, license, hasInstallScript }: LockedPackage,
  found: InstalledPackage | null,
): readonly string[] {
  if (found === null) {
    return [];
  }
  const scripts = INSTALL_SCRIPTS.filter((name) => found.scripts?.[name] !== undefined);
  return [
    ...(found.version === version
      ? []
      : [`${folder} is installed in version ${found.version}, and locked in ${version}. Run npm ci.`]),
    ...(typeof found.license === 'string' && found.license !== license
      ? [`${folder} has the license ${found.license}, and ${license} in package-lock.json.`]
      : []),
    ...(scripts.length > 0 && hasInstallScript !== true
      ? [`${folder} has the script ${scripts.join(', ')}, of which package-lock.json says nothing.`]
      : []),
  ];
}

import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type DefaultTreeAdapterMap, parse } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];

/** The repository in which links from pages to its other files are followed. */
export interface Repository {
  readonly address: string;
  readonly revision: string;
}

/** Returns the address of a file or a folder that a page links to; `null` for links to pages, to anchors, and to other sites. */
export function repositoryAddress(link: string, page: string, { address, revision }: Repository): string | null {
  const [file = '', anchor] = link.split('#');
  const target = path.join('docs', path.dirname(page), file);
  const isPage = target.startsWith('docs/') && target.endsWith('.md');
  if (isPage || file === '' || /^(?:[a-z]+:|\/)/.test(file)) {
    return null;
  }
  const kind = path.extname(target) === '' ? 'tree' : 'blob';
  return `${address}/${kind}/${revision}/${target}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** A page that was built: the addresses that it refers to, and its anchors. */
interface Page {
  readonly references: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** Finds links and pictures in built pages that lead nowhere within the site: `page: link`. */
export function deadLinks(folder: string, base: string): readonly string[] {
  const files = globSync('**/*.html', { cwd: folder });
  const pages = new Map(files.map((file) => [file, pageOf(readFileSync(path.join(folder, file), 'utf8'))]));
  const isDead = (reference: string, from: string): boolean => {
    const url = new URL(reference, `http://site${base}${from}`);
    // Other sites, and other versions beside this one.
    if (url.host !== 'site' || !url.pathname.startsWith(base)) {
      return false;
    }
    const target = url.pathname.slice(base.length).replace(/(?:^|\/)$/, '$&index.html');
    const anchor = decodeURIComponent(url.hash.slice(1));
    return anchor === '' ? !existsSync(path.join(folder, target)) : pages.get(target)?.anchors.has(anchor) !== true;
  };
  return [...pages].flatMap(([file, { references }]) =>
    references.filter((reference) => isDead(reference, file)).map((reference) => `${file}: ${reference}`),
  );
}

function pageOf(html: string): Page {
  const attributes = attributesIn(parse(html));
  const valuesOf = (...names: readonly string[]): readonly string[] =>
    attributes.flatMap(({ name, value }) => (names.includes(name) ? [value] : []));
  return { references: valuesOf('href', 'src'), anchors: new Set(valuesOf('id')) };
}

const attributesIn = (node: Node): readonly { readonly name: string; readonly value: string }[] => [
  ...('attrs' in node ? node.attrs : []),
  ...('childNodes' in node ? node.childNodes.flatMap(attributesIn) : []),
];

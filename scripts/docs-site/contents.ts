/** A section of the sidebar of VitePress. */
export interface Section {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Sections that most readers need closed. */
const CLOSED: ReadonlySet<string> = new Set(['Decisions', 'Develop']);

/** Returns the sections of an index page: its headings of level 2 with the pages that each lists, but for pages of other folders. */
export const sectionsOf = (index: string): readonly Section[] =>
  index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const text = section.slice(0, section.indexOf('\n'));
      const pages = [...section.matchAll(/^\* (?:(\d+): )?\[(.+?)\]\((?!\.\.)(.+?)\.md\)/gm)];
      return {
        text,
        collapsed: CLOSED.has(text),
        items: pages.map(([, number, title, page]) => ({
          text: (number === undefined ? title! : `${number}. ${title}`).replaceAll('`', ''),
          link: `/${page}`,
        })),
      };
    });

/** Returns the version that the pages are about: that of the package, or `next` if the changelog has changes after it. */
export function documentedVersion(changelog: string, released: string): string {
  const [, unreleased = ''] = /^## \[Unreleased\]\n([\s\S]*?)^## /m.exec(changelog) ?? [];
  return unreleased.trim() === '' ? released : 'next';
}

/** Returns the anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

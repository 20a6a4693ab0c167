import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { anchorOf, documentedVersion, sectionsOf } from './contents.ts';
import { repositoryAddress } from './links.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

const {
  version: released,
  homepage,
  description,
} = JSON.parse(read('package.json')) as Readonly<Record<'version' | 'homepage' | 'description', string>>;
const version = documentedVersion(read('CHANGELOG.md'), released);
const repository = { address: homepage.replace(/#.*/, ''), revision: version === 'next' ? 'main' : `v${version}` };

/** The folder of all versions, side by side: a build replaces its own version alone. */
const SITE = path.join(ROOT, 'site');
const prefix = process.env['DOCS_SITE_BASE'] ?? '/';
const otherVersions = (existsSync(SITE) ? readdirSync(SITE, { withFileTypes: true }) : [])
  .filter((entry) => entry.isDirectory() && entry.name !== version)
  .map(({ name }) => name)
  .sort()
  .reverse();

/** Parts of markdown-it, which VitePress brings. */
interface MarkdownIt {
  disable(rule: string): void;
  readonly renderer: {
    readonly rules: Record<string, RenderRule | undefined>;
    renderToken(tokens: readonly Token[], index: number, options: unknown): string;
  };
}
interface Token {
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}
type RenderRule = (
  tokens: readonly Token[],
  index: number,
  options: unknown,
  page: { readonly relativePath: string },
  renderer: MarkdownIt['renderer'],
) => string;

function prepareMarkdown(markdown: MarkdownIt): void {
  // `<name>` in a text is no element.
  markdown.disable('html_inline');
  const { rules } = markdown.renderer;
  const render = rules['link_open'];
  rules['link_open'] = (tokens, index, options, page, renderer) => {
    const token = tokens[index]!;
    const address = repositoryAddress(token.attrGet('href') ?? '', page.relativePath, repository);
    if (address !== null) {
      token.attrSet('href', address);
    }
    return render?.(tokens, index, options, page, renderer) ?? renderer.renderToken(tokens, index, options);
  };
}

/** The configuration of VitePress. The pages are those of `docs`, as they are. */
export default {
  srcDir: 'pages',
  outDir: path.join(SITE, version),
  base: `${prefix}${version}/`,
  rewrites: { 'README.md': 'index.md' },
  title: 'Outrigger',
  description,
  lang: 'en',
  // No icon: browsers ask for one otherwise.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: anchorOf },
    // Queries of CloudWatch, and diagrams that GitHub draws.
    languageAlias: { insights: 'splunk', mermaid: 'yaml' },
    config: prepareMarkdown,
  },
  // The index of the search has the texts of all pages.
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'FAQ', link: '/faq' },
      { text: 'Comparison', link: '/comparison' },
      {
        text: version,
        items: [
          { text: 'Changelog', link: `${repository.address}/blob/${repository.revision}/CHANGELOG.md` },
          ...otherVersions.map((name) => ({ text: name, link: `${prefix}${name}/`, target: '_self' })),
        ],
      },
    ],
    sidebar: sectionsOf(read('docs/README.md')),
    socialLinks: [{ icon: 'github', link: repository.address }],
    footer: { message: 'Apache License 2.0' },
  },
};

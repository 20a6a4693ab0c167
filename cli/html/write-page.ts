import { createHash } from 'node:crypto';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { raw } from 'hono/html';
import { dataScript, markup } from '@outrigger/providers/html/markup.ts';
import type { Assets } from './assets.ts';
import { packed } from './packed.ts';
import type { Report } from './report.ts';

/** The URL at which a served page requests its report anew. */
export interface Live {
  readonly url: string;
  readonly everyMs: number;
}

/**
 * A report as one page that needs nothing else. Its policy lets nothing run but its script, and nothing be loaded; only a page
 * that is served may ask its own server.
 *
 * @param live `null`: it is a file.
 */
export function writePage(report: Report, assets: Assets, live: Live | null): string {
  const { script, style } = assets;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(assets, live)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${report.title}</title>
<style>${raw(style)}</style>
</head>
<body>
<div id="page"><noscript>This page needs JavaScript: the charts and the filters are made by its script.</noscript></div>
${dataScript('report', packed(report), mapOptional(live, ({ url, everyMs }) => ({ live: url, every: String(everyMs) })) ?? {})}
<script>${raw(script)}</script>
</body>
</html>
`.toString();
}

/** Scripts cannot make markup from text either: names could not become elements even by a mistake of the page. */
export const pagePolicy = ({ script, style }: Assets, live: Live | null): string =>
  presentItems([
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    live !== null && "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]).join('; ');

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

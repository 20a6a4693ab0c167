import { keptNodes } from '@outrigger/core/explanation/node.ts';
import type { ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import { statusOf } from '@outrigger/core/explanation/status.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { HistoryEntry } from '@outrigger/core/ports/decision-history.ts';
import { printable, printableData } from '@outrigger/core/model/values/printable.ts';
import type { WidgetCall, WidgetView } from '../../schema/widget-call.ts';
import { type MarkupContent, markup } from '../markup.ts';
import { explainSubject } from '@outrigger/core/explanation/pages/subject-page.ts';
import type { Subject } from '@outrigger/core/explanation/pages/page.ts';
import { link, type Links, markupPage, note } from './elements.ts';
import { found, foundPage, listPage } from './lists.ts';
import { overview } from './overview.ts';
import { style } from './style.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/**
 * The widget's HTML: the answer to “why?”, in the words of `outrigger status` and `outrigger explain`. It has no script, as
 * CloudWatch would remove it, and is escaped throughout.
 *
 * @param record what is stored of the cluster
 * @param decisions of the past, the latest first: for the first page
 */
export function widgetPage(
  record: ClusterRecord,
  decisions: readonly HistoryEntry[],
  { view, theme }: WidgetCall,
  links: Links,
): string {
  return framed([findBox(view, links), contentOf(record, decisions, view, links)], theme);
}

/** The widget's HTML for a cluster that was never evaluated. */
export const unevaluatedPage = (cluster: ClusterName, { theme }: WidgetCall): string =>
  framed(note(`Cluster ${cluster} was never evaluated: see the log of the ScaleUp function.`), theme);

const framed = (content: MarkupContent, theme: WidgetCall['theme']): string =>
  markup`<div class="cwdb-no-default-styles og og-${theme}">${style()}${content}</div>`.toString();

function contentOf(
  record: ClusterRecord,
  decisions: readonly HistoryEntry[],
  view: WidgetView,
  links: Links,
): MarkupContent {
  const status = printableData(statusOf(record)) as ReturnType<typeof statusOf>;
  switch (view.kind) {
    case 'list':
      return listPage(view, record, status, links);
    case 'subject':
      return aboutPage(record, view.subject, view.name, links) ?? searched(record, view.name, links);
    case 'search':
      return searched(record, view.text, links);
    case 'status':
    case 'documentation':
      return overview(record, status, { kept: keptNodes(record), decisions }, links);
  }
}

/** The page about a pod, a node or a node group; `null` where nothing is known about it. */
const aboutPage = (record: ClusterRecord, subject: Subject, name: string, links: Links): MarkupContent | null =>
  mapOptional(explainSubject(record, subject, name), ({ page }) => markupPage(page, links));

/** The result of a search: for a single name, the page about it. */
function searched(record: ClusterRecord, text: string, links: Links): MarkupContent {
  const all = found(record, text);
  const exact = all.filter(({ name }) => name === text || name.endsWith(`/${text}`));
  const [only] = [exact, all].find(({ length }) => length === 1) ?? [];
  const page = mapOptional(only, ({ subject, name }) => aboutPage(record, subject, name, links));
  return page ?? foundPage(printable(text), all, links);
}

const findBox = (view: WidgetView, links: Links): MarkupContent => [
  view.kind === 'status' ? null : markup`<div class="og-pages">${link(links, '← Status', {})}</div>`,
  markup`<form class="og-find"><input name="find" placeholder="pod, node or node group" aria-label="pod, node or node group">${link(links, 'Why?', { search: true }, 'og-button')}</form>`,
];

/** The console's text about the widget where its parameters are edited. */
export const WIDGET_DOCUMENTATION = `## Outrigger: why?

The latest decisions and their reasons: each pending pod, each node that is kept, each node group.

### Parameters

Param | Description
---|---
**list** | \`pods\`, \`nodes\` or \`groups\`: all of them, in pages; without it, the status
**page** | the page of the list
**subject**, **name** | \`pod\`, \`node\` or \`group\`, and its name (of a pod \`NAMESPACE/NAME\`): what is known of it

### Example

\`\`\` yaml
list: pods
\`\`\`
`;

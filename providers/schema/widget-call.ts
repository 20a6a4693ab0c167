import { type Subject, SUBJECTS } from '@outrigger/core/explanation/pages/page.ts';
import * as z from 'zod';

/** The lists that a page of the widget can show. */
const LISTS = ['pods', 'nodes', 'groups'] as const;
export type List = (typeof LISTS)[number];

/** The view that a person asks for on a dashboard. */
export type WidgetView =
  | { readonly kind: 'documentation' }
  | { readonly kind: 'status' }
  /** @property page 1 for the first. */
  | { readonly kind: 'list'; readonly list: List; readonly page: number }
  | { readonly kind: 'subject'; readonly subject: Subject; readonly name: string }
  | { readonly kind: 'search'; readonly text: string };

/** A call of the widget by CloudWatch. */
export interface WidgetCall {
  readonly view: WidgetView;
  readonly theme: 'light' | 'dark';
}

/** Kubernetes' names have no more characters, with a namespace. */
const MOST_NAME = 520;
const name = z.string().trim().min(1).max(MOST_NAME);

/** An unset or unknown parameter is none: the widget's parameters are written by people, and a page is always shown. */
const callSchema = z.object({
  describe: z.unknown().optional().transform(Boolean),
  list: z.enum(LISTS).nullable().catch(null),
  page: z.coerce.number().int().min(1).max(1_000_000).catch(1),
  subject: z.enum(SUBJECTS).nullable().catch(null),
  name: name.nullable().catch(null),
  search: z.boolean().catch(false),
  widgetContext: z
    .object({
      theme: z.enum(['light', 'dark']).catch('light'),
      forms: z.object({ all: z.object({ find: name.nullable().catch(null) }) }).catch({ all: { find: null } }),
    })
    .catch({ theme: 'light', forms: { all: { find: null } } }),
});

/**
 * Reads the event of a custom widget of CloudWatch: the parameters of the widget or of the link that was clicked, and the
 * context. Whatever it is, there is something to show: what cannot be read is left out.
 */
export function parseWidgetCall(event: unknown): WidgetCall {
  const call = callSchema.safeParse(event).data ?? callSchema.parse({});
  const { theme, forms } = call.widgetContext;
  return { theme, view: viewOf(call, forms.all.find) };
}

function viewOf(call: z.infer<typeof callSchema>, find: string | null): WidgetView {
  const { describe, list, page, subject, name: about, search } = call;
  if (describe) {
    return { kind: 'documentation' };
  }
  if (search) {
    return find === null ? { kind: 'status' } : { kind: 'search', text: find };
  }
  if (subject !== null && about !== null) {
    return { kind: 'subject', subject, name: about };
  }
  return list === null ? { kind: 'status' } : { kind: 'list', list, page };
}

/** Demand of an event pattern on one value: the value itself, or a condition on it. */
type Matcher = string | number | boolean | null | Readonly<Record<string, unknown>>;

/** Patterns of EventBridge rules, and of the filters of event source mappings: both have this form. */
export type Pattern = { readonly [field: string]: Pattern | readonly Matcher[] };

/**
 * Does an event have what the pattern asks for? As in
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html.
 *
 * @throws Error for a condition that is not known here.
 */
export function matches(pattern: Pattern, event: unknown): boolean {
  return Object.entries(pattern).every(([field, wanted]) => {
    const value = (event as Readonly<Record<string, unknown>> | undefined)?.[field];
    if (!Array.isArray(wanted)) return matches(wanted as Pattern, value);
    return (wanted as readonly Matcher[]).some((matcher) => holds(matcher, value));
  });
}

function holds(matcher: Matcher, value: unknown): boolean {
  if (typeof matcher !== 'object' || matcher === null) return value === matcher;
  return Object.entries(matcher).every(([kind, wanted]) => {
    if (kind === 'prefix') return typeof value === 'string' && value.startsWith(String(wanted));
    if (kind === 'suffix') return typeof value === 'string' && value.endsWith(String(wanted));
    if (kind === 'exists') return (value !== undefined) === wanted;
    if (kind === 'anything-but') return value !== undefined && ![wanted].flat().includes(value);
    throw new Error(`The condition ${kind} of event patterns is not known here: add it to pattern.ts`);
  });
}

import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import { fieldsOf } from './deployment.ts';

/** Charts within charts. */
const DEEPEST_CHART = 5;

/** Values of a Helm chart. */
export interface ChartValues {
  readonly values: Fields;
  readonly origin: string;
}

/**
 * Finds the values of a chart: at the top, or where it is a part of another chart, under its name.
 *
 * @param chart how its values are known, and its name as a key of another chart's values
 * @param depth the number of charts that the values are in
 * @returns none where these are values of another chart
 */
export function chartsIn(
  chart: { readonly isMeant: (values: Fields) => boolean; readonly name: RegExp },
  values: Fields,
  origin: string,
  depth = 0,
): readonly ChartValues[] {
  if (chart.isMeant(values)) {
    return [{ values, origin }];
  }
  return Object.entries(values)
    .filter(([key]) => depth < DEEPEST_CHART && chart.name.test(key))
    .map(([key, inner]): readonly [string, Fields] => [key, fieldsOf(inner)])
    .flatMap(([key, inner]) =>
      chartsIn(chart, { ...inner, ...fieldsOf(inner['values']) }, `${origin}: ${key}`, depth + 1),
    );
}

import type { Options } from '@outrigger/core/model/options.ts';
import { sectionOf } from '../manifest/fields.ts';
import { type Invalid, explainInvalid } from '../manifest/invalid.ts';
import { optionsIn } from './options.ts';

/**
 * Reads scaling options: Cluster Autoscaler's flag names in camelCase; absent ones take Outrigger's defaults.
 *
 * @param raw a mapping, as YAML or JSON gives it; `null` (an empty file) is all defaults
 * @param origin where they come from, for the error
 * @throws Error with every option that is unknown or malformed
 */
export function readOptions(raw: unknown, origin: string): Options {
  const problems: Invalid[] = [];
  const options = optionsIn(sectionOf({ options: raw }, '', problems), 'outrigger');
  if (problems.length > 0) {
    throw new Error(
      `The options in ${origin} are wrong:\n${problems.map((one) => `  ${explainInvalid(one)}`).join('\n')}`,
    );
  }
  return options;
}

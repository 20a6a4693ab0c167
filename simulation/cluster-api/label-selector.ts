import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';

const EQUALS = /^(?<key>[^=!,()\s]+)\s*(?<operator>==?|!=)\s*(?<value>[^=!,()\s]*)$/;
const EXISTS = /^(?<not>!?)(?<key>[^=!,()\s]+)$/;

/**
 * The test that a query's `labelSelector` stands for: requirements of equality, inequality and existence.
 *
 * @returns `null` for any other text.
 */
export function labelSelector(text: string): ((labels: Labels) => boolean) | null {
  const tests = (text === '' ? [] : text.split(',')).map((part): ((labels: Labels) => boolean) | null => {
    const equals = EQUALS.exec(part.trim())?.groups;
    if (equals !== undefined) {
      const { key, operator, value } = equals as Record<'key' | 'operator' | 'value', string>;
      return (labels) => (labels[key] === value) === (operator !== '!=');
    }
    const exists = EXISTS.exec(part.trim())?.groups;
    if (exists === undefined) {
      return null;
    }
    const { key, not } = exists as Record<'key' | 'not', string>;
    return (labels) => Object.hasOwn(labels, key) === (not === '');
  });
  return tests.includes(null) ? null : (labels) => tests.every((test) => test!(labels));
}

import { firstItem, required } from '../model/values/existing.ts';
import { quoted } from '../model/values/clip.ts';
import type { Labels } from '../model/cluster/selectors.ts';

/** Does a set of labels meet one requirement? */
export type LabelMatcher = (labels: Labels) => boolean;

/** A requirement of a label selector or of a node selector term. */
interface Requirement {
  readonly key: string;
  readonly operator: string; // In | NotIn | Exists | DoesNotExist | Gt | Lt
  readonly values: readonly string[];
}

const KEY = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
/** A DNS subdomain of 253 characters, a slash, and a name of 63. */
const LONGEST_KEY = 317;
const LONGEST_VALUE = 63;
const VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/**
 * Why Kubernetes would not accept a requirement; `null` when it does. Follows `labels.NewRequirement` of
 * k8s.io/apimachinery, 1.35.
 */
export function requirementError({ key, operator, values }: Requirement): string | null {
  if (key.length > LONGEST_KEY || !KEY.test(key)) {
    return `invalid label key ${quoted(key)}`;
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) {
        return "for 'in', 'notin' operators, values set can't be empty";
      }
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        return 'values set must be empty for exists and does not exist';
      }
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) {
        return "for 'Gt', 'Lt' operators, exactly one value is required";
      }
      if (parseInt64(firstItem(values)) === null) {
        return "for 'Gt', 'Lt' operators, the value must be an integer";
      }
      break;
    default:
      return `${quoted(operator)} is not a valid label selector operator`;
  }
  const invalid = values.find((value) => value.length > LONGEST_VALUE || !VALUE.test(value));
  return invalid === undefined ? null : `invalid label value ${quoted(invalid)}`;
}

/** Compiles a requirement without an error (`requirementError`). A label that is not there meets NotIn. */
export function matchRequirement({ key, operator, values }: Requirement): LabelMatcher {
  // Compared by type rather than with undefined, so that a label named as a property of every object is still absent.
  switch (operator) {
    case 'In': {
      if (values.length === 1) {
        const [wanted] = values;
        return (labels) => labels[key] === wanted;
      }
      const wanted: ReadonlySet<string | undefined> = new Set(values);
      return (labels) => wanted.has(labels[key]);
    }
    case 'NotIn': {
      const unwanted: ReadonlySet<string | undefined> = new Set(values);
      return (labels) => !unwanted.has(labels[key]);
    }
    case 'Exists':
      return (labels) => typeof labels[key] === 'string';
    case 'DoesNotExist':
      return (labels) => typeof labels[key] !== 'string';
    default: {
      const limit = required(parseInt64(firstItem(values)), 'an integer');
      const greater = operator === 'Gt';
      return (labels) => {
        const text = labels[key];
        const value = typeof text === 'string' ? parseInt64(text) : null;
        return value !== null && (greater ? value > limit : value < limit);
      };
    }
  }
}

const INT64 = /^[+-]?\d+$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** Go's `strconv.ParseInt(text, 10, 64)`: "007" is 7, "3.5" is nothing. Doubles would be wrong above 2^53. */
function parseInt64(text: string): bigint | null {
  // No label has a longer value, and to make a number of very many digits takes the square of their number.
  if (text.length > LONGEST_VALUE || !INT64.test(text)) {
    return null;
  }
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value < INT64_MIN || value > INT64_MAX ? null : value;
}

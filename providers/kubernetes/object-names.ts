const LONGEST_SUBDOMAIN = 253;
const LONGEST_LABEL = 63;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Can there be an object of this name? Names are taken from other objects, where the API server asks for no more than
 * some text (`ownerReferences[].name`, `claimName`).
 *
 * Objects that are read here have DNS-1123 subdomains as their names, and namespaces DNS-1123 labels:
 * `IsDNS1123Subdomain` and `IsDNS1123Label` of k8s.io/apimachinery/pkg/util/validation.
 */
export const mayExist = ({ namespace, name }: { readonly namespace: string | null; readonly name: string }): boolean =>
  isSubdomain(name) && (namespace === null || isLabel(namespace));

const isLabel = (text: string): boolean => text.length <= LONGEST_LABEL && LABEL.test(text);

/** Steps between dots are not held to a label's length, as in Kubernetes. */
const isSubdomain = (text: string): boolean =>
  text.length <= LONGEST_SUBDOMAIN && text.split('.').every((step) => LABEL.test(step));

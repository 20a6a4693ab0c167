const LONGEST_SUBDOMAIN = 253;
const LONGEST_LABEL = 63;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Whether an object can have this name. Names come from fields of other objects that the API server does not validate
 * (`ownerReferences[].name`, `claimName`).
 *
 * Names of the objects that are read here are DNS-1123 subdomains, and those of namespaces DNS-1123 labels:
 * `IsDNS1123Subdomain` and `IsDNS1123Label` of k8s.io/apimachinery/pkg/util/validation.
 */
export const mayExist = ({ namespace, name }: { readonly namespace: string | null; readonly name: string }): boolean =>
  isSubdomain(name) && (namespace === null || isLabel(namespace));

const isLabel = (text: string): boolean => text.length <= LONGEST_LABEL && LABEL.test(text);

/** As in Kubernetes, the parts between dots may be longer than a label. */
const isSubdomain = (text: string): boolean =>
  text.length <= LONGEST_SUBDOMAIN && text.split('.').every((step) => LABEL.test(step));

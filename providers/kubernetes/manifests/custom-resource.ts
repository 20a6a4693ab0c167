/** A request of the stack to the function that applies its manifests: for a token, or to apply them. */
export type ManifestsRequest =
  | {
      readonly Kind: 'token';
      /** Another one asks for another token. */
      readonly Version: string;
    }
  | {
      readonly Kind: 'manifests';
      /** `ManifestSettings` as JSON, whose SHA-256 the function has in its environment. */
      readonly Settings: string;
      /** The URL of the webhook with its token; `''`: without a webhook. */
      readonly Url: string;
      /** Digest of this version's objects: the objects are applied again when it differs. */
      readonly Digest: string;
    };

/** Attributes of the token. */
export const TOKEN_ATTRIBUTE = 'Token';
export const HASHES_ATTRIBUTE = 'Hashes';

import { type EC2Client, paginateDescribeImages } from '@aws-sdk/client-ec2';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { type LookupResult, type Lookup, createLookup } from '../api/lookup.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';
import { failureText } from '../api/failures.ts';

/** The processor architecture of an image, in EC2's terms. */
export type ImageArchitecture = 'x86_64' | 'arm64';

/** An image is immutable, but it may be deregistered. */
const TTL = minutes(60);
const PER_CALL = 100;

/**
 * Looks the architecture of images up by ID, a hundred in one call. A deregistered image is a cached result
 * (`NotFound`).
 */
export function createImages(ec2: EC2Client, now: () => EpochMs): Lookup<ImageArchitecture> {
  return createLookup(
    async (ids, signal) => {
      const found = new Map<string, LookupResult<ImageArchitecture>>();
      for (const some of chunksOf(ids, PER_CALL)) {
        const pages = paginateDescribeImages(
          { client: ec2 },
          {
            // A filter, because with `ImageIds` one deregistered image fails the whole call. EKS deprecates its images
            // after two years, and groups continue to use them.
            Filters: [{ Name: 'image-id', Values: [...some] }],
            IncludeDeprecated: true,
          },
          abortable(signal),
        );
        for await (const { Images = [] } of pages) {
          for (const { ImageId = '', Architecture } of Images) {
            found.set(ImageId, ok(Architecture === 'arm64' ? 'arm64' : 'x86_64'));
          }
        }
      }
      return found;
    },
    TTL,
    now,
  );
}

/** Whether an image can be described; other values are a parameter that only the launch itself resolves. */
export const isImageId = (image: string): boolean => /^ami-[0-9a-f]+$/.test(image);

/**
 * The architecture of a launch's image. For `resolve:ssm:…` it is in the path: EKS' parameters contain the architecture.
 *
 * @returns or why it is not known, in words.
 */
export function architectureOf(
  image: string | null,
  images: ReadonlyMap<string, LookupResult<ImageArchitecture>>,
): Result<ImageArchitecture, string> {
  if (image === null) {
    return err('has no image, so the architecture of its instances is not known');
  }
  const found = images.get(image);
  if (found === undefined) {
    const named = /\b(?:(arm64|aarch64)|x86_64|amd64)\b/i.exec(image);
    if (named === null) {
      return err(`has image ${image}, which does not contain an architecture; use the ID of the image`);
    }
    return ok(named[1] === undefined ? 'x86_64' : 'arm64');
  }
  if (found.ok) {
    return found;
  }
  return err(`has image ${image}, which could not be read ${failureText(found.error)}`);
}

import { type EC2Client, paginateDescribeImages } from '@aws-sdk/client-ec2';
import { type Result, err, ok } from '../../../core/model/values/result.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { type Found, type Lookup, createLookup } from '../api/lookup.ts';

/** The processors that an image runs on, as EC2 names them. */
export type ImageArchitecture = 'x86_64' | 'arm64';

/** An image cannot be changed, only withdrawn. */
const TTL = minutes(60);
const PER_CALL = 100;

/** Looks the architecture of images up by id, a hundred in one call. One that is gone is an answer (`NotFound`). */
export function createImages(ec2: EC2Client, now: () => EpochMs): Lookup<ImageArchitecture> {
  return createLookup(
    async (ids, signal) => {
      const found = new Map<string, Found<ImageArchitecture>>();
      for (let start = 0; start < ids.length; start += PER_CALL) {
        const pages = paginateDescribeImages(
          { client: ec2 },
          {
            // A filter, for with `ImageIds` one that is gone fails the whole call. EKS deprecates its images after
            // two years; groups go on using them.
            Filters: [{ Name: 'image-id', Values: ids.slice(start, start + PER_CALL) }],
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

/** Whether an image can be asked for; the others name a parameter that only the launch itself reads. */
export const isImageId = (image: string): boolean => /^ami-[0-9a-f]+$/.test(image);

/**
 * What a launch's image runs on. Of `resolve:ssm:…` the path tells: EKS' parameters name the architecture.
 *
 * @returns or why it cannot be told, in words.
 */
export function architectureOf(
  image: string | null,
  images: ReadonlyMap<string, Found<ImageArchitecture>>,
): Result<ImageArchitecture, string> {
  if (image === null) {
    return err('names no image, so that the architecture of its instances is not known');
  }
  const found = images.get(image);
  if (found === undefined) {
    const named = /\b(?:(arm64|aarch64)|x86_64|amd64)\b/i.exec(image);
    return named === null
      ? err(`names image ${image}, which does not tell its architecture; name the image by its id`)
      : ok(named[1] === undefined ? 'x86_64' : 'arm64');
  }
  return found.ok
    ? found
    : err(
        `names image ${image}, which could not be read (${found.error.class}, ${found.error.code}): ${found.error.message}`,
      );
}

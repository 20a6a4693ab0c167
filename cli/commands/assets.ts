import { Command, InvalidArgumentError } from 'commander';
import { failLive } from '../live/fail.ts';
import { profileOption } from '../live/flags.ts';

const NOTES = `
The bucket is in the region of the stack, whose parameters CodeBucket and CodePrefix name the code. The only right that is
needed is s3:PutObject. Objects that exist are not written again.

Examples:
  $ outrigger assets --bucket example-code --prefix outrigger/ --region eu-west-1
  $ outrigger assets --bucket example-code ./0.1.0

Exit code:
  0  the bucket has the code
  1  it was not copied
  2  the command line is invalid, or the folder is not a whole release`;

interface Flags {
  readonly bucket: string;
  readonly prefix: string;
  readonly region?: string;
}

/** `outrigger assets`: copies the code of a release to a bucket. */
export const assetsCommand = (): Command =>
  new Command('assets')
    .description('Copy the code of a release to a bucket, for its CloudFormation template')
    .argument('[folder]', 'the folder of the release', '.')
    .requiredOption('--bucket <name>', 'the bucket')
    .option('--prefix <prefix>', 'prefix of the keys, with a slash at its end', prefixOf, '')
    .option('--region <region>', 'AWS region of the bucket (default: that of the environment or the profile)')
    .addOption(profileOption())
    .addHelpText('after', NOTES)
    .action(run);

/** A prefix that the template's parameter CodePrefix accepts. */
function prefixOf(text: string): string {
  if (!/^(?:[A-Za-z0-9._/-]{1,200}\/)?$/.test(text)) {
    throw new InvalidArgumentError('Must be empty, or letters, digits, ., _, - and / with a slash at the end.');
  }
  return text;
}

async function run(folder: string, { bucket, prefix, region }: Flags, command: Command): Promise<void> {
  // Loaded when they are needed: help does not wait for the AWS clients.
  const [{ S3Client }, { sdkSettings }, { regionFor }, { copyArchive, readCode }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@outrigger/providers/aws/api/clients.ts'),
    import('../live/region.ts'),
    import('../assets/code.ts'),
  ]);
  const code = readCode(folder);
  if (!code.ok) {
    return command.error(`error: ${code.error}`);
  }
  try {
    const client = new S3Client(sdkSettings({ region: await regionFor(region) }));
    for (const archive of code.value) {
      const result = await copyArchive(client, { bucket, prefix }, archive);
      process.stdout.write(`${result}  s3://${bucket}/${prefix}${archive.name}\n`);
    }
    process.stdout.write(`Parameters of template.json: CodeBucket=${bucket} CodePrefix=${prefix}\n`);
    client.destroy();
  } catch (error) {
    failLive(command, error);
  }
}

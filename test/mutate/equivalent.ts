/** A mutant that does what the code does. */
export interface Equivalent {
  readonly file: string;
  /** The line before and after, as the tool prints it. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'core/provisioning/requests.ts',
    before: "const triedAt = ({ request }: OpenRequest): number => conditionOf(request, 'Provisioned')?.since ?? 0;",
    after: "const triedAt = ({ request }: OpenRequest): number => conditionOf(request, 'Provisioned')?.since ?? 1;",
    reason: 'Requests are put in order by it, and no condition is older than that.',
  },
];

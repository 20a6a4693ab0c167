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
    file: 'core/notices/departures.ts',
    before: 'if (due.size === 0) {',
    after: 'if (false) {',
    reason: 'Without notices that are due nothing departs; this saves time.',
  },
  {
    file: 'core/notices/observed.ts',
    before: 'if (notices.length === 0) {',
    after: 'if (notices.length === (-1)) {',
    reason: 'Without notices nothing is observed; this saves time.',
  },
  {
    file: 'core/headroom/requests/requests.ts',
    before: "const triedAt = ({ request }: OpenRequest): number => conditionOf(request, 'Provisioned')?.since ?? 0;",
    after: "const triedAt = ({ request }: OpenRequest): number => conditionOf(request, 'Provisioned')?.since ?? 1;",
    reason: 'Requests are put in order by it, and no condition is older than that.',
  },
  {
    file: 'core/plan-disruptions.ts',
    before: 'if (needed.some((group) => !replacements.has(group))) {',
    after: 'if (true) {',
    reason: 'Where no other group is needed, the same is decided once more.',
  },
  {
    file: 'core/headroom/scheduled-minimums.ts',
    before: 'const nodesAt = (group: NodeGroup, at: EpochMs): number => minimumOf(group, options, at)?.nodes ?? 0;',
    after: 'const nodesAt = (group: NodeGroup, at: EpochMs): number => minimumOf(group, options, at)?.nodes ?? (-1);',
    reason: 'A minimum that is in force is 1 or more, and only compared.',
  },
  {
    file: 'core/placement/nominations.ts',
    before:
      'const nominated = following.length === 0 ? [] : unboundPods(objects.pods).filter((pod) => homeOf(pod) !== null);',
    after:
      'const nominated = following.length === (-1) ? [] : unboundPods(objects.pods).filter((pod) => homeOf(pod) !== null);',
    reason: 'Without pods that follow others the map is empty; this saves time.',
  },
  {
    file: 'core/notices/merged.ts',
    before: 'const [first, second] = urgency(one) >= urgency(other) ? [one, other] : [other, one];',
    after: 'const [first, second] = urgency(one) > urgency(other) ? [one, other] : [other, one];',
    reason: 'Notices of one kind differ in what is merged alone.',
  },
  {
    file: 'core/headroom/requests/requests.ts',
    before: '(a.createdAt ?? 0) - (b.createdAt ?? 0) || byName(a.namespace, b.namespace) || byName(a.name, b.name);',
    after: '(a.createdAt ?? 0) - (b.createdAt ?? (-1)) || byName(a.namespace, b.namespace) || byName(a.name, b.name);',
    reason: 'No request is as old.',
  },
  {
    file: 'core/actuation/judge-size.ts',
    before: 'if (to < from && to < size.min) {',
    after: 'if (to <= from && to < size.min) {',
    reason: 'A group that has the size has been told so before.',
  },
  {
    file: 'core/disruption/advance-disruptions.ts',
    before: 'if (unplaced.size === 0) {',
    after: 'if (unplaced.size === (-1)) {',
    reason: 'No pod is without a place then; most commands look through no pods.',
  },
  {
    file: 'core/registry/shortages.ts',
    before: 'if (byOffering.size === 0) {',
    after: 'if (byOffering.size === (-1)) {',
    reason: 'No shape is missing then; most clusters list no shapes of their groups.',
  },
  {
    file: 'core/scaledown/node-budgets/node-budget-tracker.ts',
    before: 'if (budgets.length > 0) {',
    after: 'if (budgets.length > (-1)) {',
    reason: 'A scope without budgets limits nothing; this saves time.',
  },
  {
    file: 'core/scaledown/node-budgets/node-budget-tracker.ts',
    before: 'if (budgets.length > 0) {',
    after: 'if (budgets.length >= 0) {',
    reason: 'A scope without budgets limits nothing; this saves time.',
  },
  {
    file: 'core/scaledown/node-budgets/node-budget-tracker.ts',
    before: 'if (budgets.length > 0) {',
    after: 'if (true) {',
    reason: 'A scope without budgets limits nothing; this saves time.',
  },
  {
    file: 'core/notices/present-lives.ts',
    before: 'const isNew = node !== undefined && readable(() => since(node), 0) > began;',
    after: 'const isNew = node !== undefined && readable(() => since(node), (-1)) > began;',
    reason: 'No life has begun before 1970.',
  },
  {
    file: 'functions/drain/steps.ts',
    before: 'const driven = before ?? request.ids.map((id) => newlyDriven(id, epochMs(0)));',
    after: 'const driven = before ?? request.ids.map((id) => newlyDriven(id, epochMs((-1))));',
    reason: 'Both times are over.',
  },
];

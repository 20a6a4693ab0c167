import { present } from '@outrigger/core/model/values/present.ts';
import { type CheckResult, judge } from '../../doctor/checks/checks.ts';
import { gatherFacts } from '../../doctor/facts/gather.ts';
import { doctorSettings } from '../../doctor/settings.ts';
import { stepDone, StepError, type StepResult } from '../journal.ts';
import type { InstallPlace } from '../place.ts';

/** Findings that are no obstacle, because a later step corrects them. */
const CORRECTED: ReadonlySet<string> = new Set(['webhook']);

/**
 * Makes doctor's checks. A failed check fails the step; so does an unreachable API server, to which the manifests are
 * applied.
 *
 * @throws StepError with all failures and their remedies
 */
export async function checkPlace({
  named,
  config,
  region,
  access,
}: InstallPlace): Promise<StepResult<readonly CheckResult[]>> {
  const { endpoint, credentials, kubeconfig, now } = access;
  const settings = doctorSettings({ ...named, region }, config);
  const facts = await gatherFacts(settings, {
    kubeconfig,
    now: now(),
    ...present({ endpoint, credentials }),
  });
  const checked = judge(facts);
  const failing = checked.filter(
    ({ check, finding }) =>
      (finding.status === 'fail' && !CORRECTED.has(check.id) && !isRemade(check.id, finding.found)) ||
      (check.id === 'api-server' && finding.status !== 'ok'),
  );
  if (failing.length > 0) {
    throw new StepError(
      failing.map(({ check, finding }) => `${check.title}: ${finding.found}`).join(' '),
      failing
        .map(({ finding }) => finding.remedy)
        .filter((remedy) => remedy !== null)
        .flatMap(({ text, lines }) => [text, ...lines]),
    );
  }
  const warnings = checked.filter(({ finding }) => finding.status === 'warn').map(({ check }) => check.id);
  if (warnings.length === 0) {
    return stepDone('No check fails.', checked);
  }
  return stepDone(
    `No check fails; there are warnings (npx outrigger doctor has them): ${warnings.join(', ')}.`,
    checked,
  );
}

/** The CDK deletes a stack whose creation was rolled back, and makes it anew. */
const isRemade = (id: string, found: string): boolean => id === 'deployment' && found.includes(' ROLLBACK_COMPLETE.');

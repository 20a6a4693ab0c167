import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../../core/model/options.ts';
import { minutes } from '../../../../core/model/values/time.ts';
import { drainabilityOf } from '../../../../core/scaledown/drainability/drainability.ts';
import { job } from '../../../../core/scaledown/drainability/job.ts';
import type { PodOptions } from '../../../builders.ts';
import { ago, asked, barePod, drainContext, said } from '../given.ts';

const ofJob = (age: number | null, more: PodOptions = {}) => ({
  ...barePod({ owner: 'Job/once', ...more }),
  startedAt: age === null ? null : ago(age),
});

describe('the pod of a Job', () => {
  test('keeps its node once it has run for longer than jobProtectionAge', () => {
    expect(asked(job, ofJob(301))).toBe('Wait');
    expect(asked(job, ofJob(300))).toBe('-');
    expect(asked(job, ofJob(301), { options: { jobProtectionAge: minutes(6) } })).toBe('-');
  });

  test('may be moved before it has started, and when it ends', () => {
    expect(asked(job, ofJob(null))).toBe('-');
    expect(asked(job, { ...ofJob(301), deletedAt: ago(1) })).toBe('-');
  });

  test('may be moved at any age where jobProtectionAge is 0, as by default for Cluster Autoscaler', () => {
    expect(asked(job, ofJob(100_000), { options: { jobProtectionAge: minutes(0) } })).toBe('-');
    expect(defaultOptions('cluster-autoscaler').jobProtectionAge).toBe(0);
  });

  test('may be moved where it says that it is safe to evict', () => {
    const safe = { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } };
    expect(said(drainabilityOf(ofJob(301, safe), drainContext()))).toBe('DrainOk');
    expect(said(drainabilityOf(ofJob(301), drainContext()))).toBe('Wait');
  });

  test('is told by its controller alone', () => {
    expect(asked(job, { ...barePod({ owner: 'ReplicaSet/web' }), startedAt: ago(301) })).toBe('-');
    expect(asked(job, { ...barePod(), startedAt: ago(301) })).toBe('-');
  });
});

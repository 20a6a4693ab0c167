import fc from 'fast-check';

// A gate must not depend on luck: the same cases every time, others with FC_SEED=<number>.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 1) });

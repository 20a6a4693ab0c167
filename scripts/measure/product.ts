/** The folders of the product. */
export const PRODUCT = ['core', 'config', 'providers', 'functions', 'runtime', 'simulation', 'cli', 'cdk'] as const;

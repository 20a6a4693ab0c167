/** The folders of the product. */
export const PRODUCT = ['core', 'config', 'providers', 'functions', 'runtime', 'cli', 'cdk'] as const;

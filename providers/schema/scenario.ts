export const API_VERSION = 'outrigger.dev/v1alpha1';

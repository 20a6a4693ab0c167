import { enableCompileCache } from 'node:module';

// The CDK is several megabytes of code: compiling it takes half a second of each synthesis.
enableCompileCache();

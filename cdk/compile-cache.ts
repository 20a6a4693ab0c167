import nodeModule from 'node:module';

// The CDK is several megabytes of code: compiling it takes half a second of each synthesis. Node 20 has no cache.
if ('enableCompileCache' in nodeModule) {
  nodeModule.enableCompileCache();
}

import { testCasesFrom } from './cases.ts';

testCasesFrom(1001);

import { testCasesFrom } from './cases.ts';

testCasesFrom(501);
